import type { IncomingHttpHeaders } from 'node:http'
import { csrf } from './problems.ts'

/**
 * Rejects an unsafe call that a page of another site may have sent with the user's cookie. It checks Sec-Fetch-Site, or
 * without it `Origin`; a request with neither is rejected.
 */
export function rejectForgery(headers: IncomingHttpHeaders, publicOrigin: string): void {
  const site = headers['sec-fetch-site']
  const isSameOrigin = site === undefined ? headers.origin === publicOrigin : site === 'same-origin' || site === 'none'
  if (!isSameOrigin) throw csrf()
}
