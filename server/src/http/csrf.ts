import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from './problem.ts'

/**
 * Refuses an unsafe call that another site's page may have sent with the person's cookie. Browsers say where a request
 * comes from; where one does not, its `Origin` must be ours; a request that says neither is refused.
 */
export function refuseForgery(headers: IncomingHttpHeaders, publicOrigin: string): void {
  const site = headers['sec-fetch-site']
  const isOurs = site === undefined ? headers.origin === publicOrigin : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new Problem(403, 'csrf', 'This call was not sent by a page of this site.')
}
