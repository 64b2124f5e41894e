import { checkRecentAuthentication } from '@passport/contract/accounts'
import { Download } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { buttonClass } from '../ui/Button.tsx'
import { call } from './api.ts'
import { reportFailure } from './messages.ts'
import { Cancelled } from './reauthentication.ts'

/** A link to a file that requires a recent authentication, which a plain download could not ask for. */
export function DownloadLink({ href, children }: { href: string; children: ReactNode }) {
  async function download(event: MouseEvent<HTMLAnchorElement>) {
    event.preventDefault()
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
  return (
    <a className={buttonClass()} href={href} download onClick={(event) => void download(event)}>
      <Download size={16} aria-hidden="true" />
      {children}
    </a>
  )
}
