import type { UserAgent } from '@passport/contract/accounts'
import Bowser from 'bowser'
import type { Visit } from './visit.ts'

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

/** Describes where a request came from, for emails: “203.0.113.7, Firefox 131 on Linux”. */
export function describeOrigin({ ip, userAgent }: Visit): string {
  const { browser, os } = describeUserAgent(userAgent)
  return [ip, [browser, os].filter(Boolean).join(' on ')].filter(Boolean).join(', ')
}
