import type { IncomingMessage } from 'node:http'
import type { Hono } from 'hono'
import { rejectAbandoned, whileClientSends } from './abandoned.ts'
import { rejectIncomplete } from './body.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { rejectForgery } from './csrf.ts'
import type { Context, Environment } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import { acceptsHtml } from './navigation.ts'
import { type PageRequest, type PageResult, respondWithFailure, respondWithPage } from './page.ts'
import { csrf, tooLarge } from './problems.ts'
import type { AddressLimit } from './rate-limit.ts'
import { respond } from './respond.ts'
import { toRoutePattern } from './route-pattern.ts'
import { rejectInvalidText } from './valid-text.ts'

/** Serves one page to anyone; the feature decides what it shows. */
export type ServePage = (
  method: 'GET' | 'POST',
  path: `/${string}`,
  handle: (request: PageRequest) => Promise<PageResult> | PageResult,
  options?: {
    /** Accepts this form from other sites. Browsers send no session with it, so `handle` must not change anything. */
    fromOtherSites?: true
    rateLimit?: AddressLimit
    /** Leaves requests that do not accept HTML to the endpoint of the same path, which is registered later. */
    besideEndpoint?: true
    /** `handle` waits for another server, which does not count as load. */
    waitsForOthers?: true
    /** The most bytes of a form; 16 KiB by default. */
    maxFormBytes?: number
  },
) => void

const defaultMaxFormBytes = 16 * 1024

/** Serves pages on `app`; errors are shown on a page as well. */
export function servePagesOn(app: Hono<Environment>, http: HttpContext): ServePage {
  return (method, path, handle, options = {}) => {
    const { fromOtherSites, rateLimit, besideEndpoint, waitsForOthers, maxFormBytes = defaultMaxFormBytes } = options
    const limit = rateLimit && http.limitAddress(rateLimit)
    app.on(method, toRoutePattern(path), async (c, next) => {
      if (besideEndpoint && !acceptsHtml(c)) return next()
      c.set('route', path)
      const { incoming, outgoing } = c.env
      const cookies = createCookies(incoming.headers.cookie, http.isSecure)
      try {
        return await respondTo(c, cookies)
      } catch (error) {
        if (outgoing.headersSent || outgoing.destroyed) throw error
        return respondWithFailure(error, c, http, cookies)
      }
    })

    async function respondTo(c: Context, cookies: Cookies): Promise<Response> {
      const { incoming, outgoing } = c.env
      const visit = c.get('visit')
      await limit?.(visit)
      if (method === 'POST' && !fromOtherSites) rejectForeignForm(incoming, http)
      const url = new URL(incoming.url ?? '/', http.publicUrl)
      const params = c.req.param()
      const form =
        method === 'POST'
          ? await readForm(incoming, maxFormBytes, () => whileClientSends(c, () => c.req.text()))
          : new URLSearchParams()
      rejectInvalidText(Object.entries(params), url.searchParams, form)
      const session = cookies.get(http.sessionCookie)
      const caller = session === undefined ? undefined : await http.identify.bySession(session)
      rejectAbandoned(c)
      if (waitsForOthers) c.get('loadSlot')?.release()
      const result = await handle({
        params,
        url,
        form,
        cookies,
        visit,
        caller,
        node: { incoming, outgoing },
      })
      if ('redirect' in result) {
        const headers = { Location: result.redirect, 'Cache-Control': 'no-store' }
        return respond({ status: 303, headers }, http.standardHeaders, visit.traceId, cookies)
      }
      return respondWithPage(result, http, visit.traceId, cookies, caller)
    }
  }
}

/** Throws 403 unless a form was submitted by navigation from one of our own pages. */
function rejectForeignForm({ headers }: IncomingMessage, http: HttpContext) {
  rejectForgery(headers, http.publicUrl)
  if ((headers['sec-fetch-dest'] ?? 'document') !== 'document')
    throw csrf('Submit this form by navigation, not from a script or a frame.')
}

async function readForm(
  { headers }: IncomingMessage,
  maxFormBytes: number,
  read: () => Promise<string>,
): Promise<URLSearchParams> {
  if (Number(headers['content-length'] ?? Number.NaN) <= maxFormBytes)
    return new URLSearchParams(await rejectIncomplete(read()))
  throw tooLarge(`A form must have at most ${maxFormBytes} bytes.`)
}
