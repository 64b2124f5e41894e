import { checkRecentAuthentication } from '@passport/contract/accounts'
import { Download } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { buttonClass } from '../ui/Button.tsx'
import { call } from './api.ts'
import { reportFailure } from './messages.ts'
import { Cancelled } from './reauthentication.ts'

/** A link to a file that requires a recent authentication. A plain download could not ask for it. */
export function DownloadLink({ href, children }: { href: string; children: ReactNode }) {
  function handleClick(event: MouseEvent<HTMLAnchorElement>) {
    event.preventDefault()
    void download(href)
  }
  return (
    <a className={buttonClass()} href={href} download onClick={handleClick}>
      <Download size={16} aria-hidden="true" />
      {children}
    </a>
  )
}

/** Downloads a file that requires a recent authentication. */
export async function download(href: string): Promise<void> {
  try {
    await call(checkRecentAuthentication, {})
    const link = document.createElement('a')
    Object.assign(link, { href, download: '' })
    link.click()
  } catch (error) {
    if (error instanceof Cancelled) return
    reportFailure('download the file', error)
  }
}
