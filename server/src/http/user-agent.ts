import type { UserAgent } from '@passport/contract/accounts'
import Bowser from 'bowser'

/** Describes a User-Agent header for users: “Firefox 131”, “Linux”, “desktop”. */
export function describeUserAgent(header: string): UserAgent {
  if (header === '') return { browser: 'Unknown client', os: '', device: '' }
  const { browser, os, platform } = Bowser.parse(header)
  const major = browser.version?.split('.')[0] ?? ''
  return {
    browser: browser.name ? `${browser.name} ${major}`.trim() : (header.split(/[\s/]/)[0] ?? ''),
    os: os.name ?? '',
    device: platform.type ?? '',
  }
}

/** Describes the browser and the system of a User-Agent header, for emails: “Firefox 131 on Linux”. */
export function describeDevice(header: string): string {
  const { browser, os } = describeUserAgent(header)
  return [browser, os].filter(Boolean).join(' on ')
}
