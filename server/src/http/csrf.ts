import type { IncomingHttpHeaders } from 'node:http'
import { csrf } from './problems.ts'

/**
 * Throws 403 for an unsafe call that a page of another site may have sent with the user's cookie. Checks
 * Sec-Fetch-Site, or `Origin` if that is missing; a request with neither is rejected.
 */
export function rejectForgery(headers: IncomingHttpHeaders, publicOrigin: string): void {
  const site = headers['sec-fetch-site']
  const isSameOrigin = site === undefined ? headers.origin === publicOrigin : site === 'same-origin' || site === 'none'
  if (!isSameOrigin) throw csrf()
}
