import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { phraseOf } from '@passport/contract/phrases'
import type { Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { html } from 'hono/html'
import { wholeOf } from './body.ts'
import type { Caller } from './caller.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { refuseForgery } from './csrf.ts'
import type { Door } from './door.ts'
import type { Context, Environment } from './environment.ts'
import { Problem } from './problem.ts'
import type { AddressLimit } from './rate-limit.ts'
import { loggedPath, reportProblem, reportRefusal } from './report.ts'
import { respond } from './respond.ts'
import { routePattern } from './route-pattern.ts'
import { refuseUnstorable } from './storable.ts'
import { supportCodeOf, type Visit } from './visit.ts'

export { html } from 'hono/html'

/** Markup in which every value was escaped. */
export type Html = ReturnType<typeof html>

/** A request for a page of the server itself: sign-in and its errors, which must work without the app. */
export interface PageRequest {
  params: Record<string, string>
  /** As the client asked, with path and query. */
  url: URL
  form: URLSearchParams
  cookies: Cookies
  visit: Visit
  /** Who has a session in this browser. */
  caller: Caller | undefined
  /** For the protocol library, which speaks to Node itself. */
  node: { incoming: IncomingMessage; outgoing: ServerResponse }
}

/** A document, a way to go on (303), or nothing where the protocol library has answered. */
export type PageAnswer = Page | { redirect: string } | 'answered'

export interface Page {
  status?: number
  title: string
  body: Html
  /** Origins besides ours where a form of this page may lead: browsers apply the policy to redirects as well. */
  formTargets?: string[]
  headers?: Record<string, string>
}

/** Serves one page. Anyone may ask for it; what it shows is for the room to decide. */
export type ServePage = (
  method: 'GET' | 'POST',
  path: `/${string}`,
  handle: (request: PageRequest) => Promise<PageAnswer> | PageAnswer,
  options?: {
    /** Other sites may send this form; it comes without the session, and only leads on to a page that asks. */
    fromOtherSites?: true
    rateLimit?: AddressLimit
    /** Whoever does not ask for HTML is for the endpoint of the same path, which is served after it. */
    besideEndpoint?: true
  },
) => void

const maxFormBytes = 16 * 1024

/** Serves pages on `app`; whatever goes wrong is told on a page as well. */
export function servePagesOn(app: Hono<Environment>, door: Door): ServePage {
  return (method, path, handle, { fromOtherSites, rateLimit, besideEndpoint } = {}) => {
    const limit = rateLimit && door.limitAddress(rateLimit)
    app.on(method, routePattern(path), async (c, next) => {
      if (besideEndpoint && !asksForHtml(c)) return next()
      const { incoming, outgoing } = c.env
      const cookies = createCookies(incoming.headers.cookie, door.isSecure)
      try {
        return await answer(c, cookies)
      } catch (error) {
        if (outgoing.headersSent) throw error
        return respondWithFailure(error, c, door, cookies)
      }
    })

    async function answer(c: Context, cookies: Cookies): Promise<Response> {
      const { incoming, outgoing } = c.env
      const visit = c.get('visit')
      await limit?.(visit)
      if (method === 'POST' && !fromOtherSites) refuseForeignForm(incoming, door)
      const url = new URL(incoming.url ?? '/', door.publicUrl)
      const params = c.req.param()
      const form = method === 'POST' ? await readForm(incoming, () => c.req.text()) : new URLSearchParams()
      refuseUnstorable(Object.entries(params), url.searchParams, form)
      const session = cookies.get(door.sessionCookie)
      const caller = session === undefined ? undefined : await door.identify.bySession(session)
      const answered = await handle({
        params,
        url,
        form,
        cookies,
        visit,
        caller,
        node: { incoming, outgoing },
      })
      if (answered === 'answered') return RESPONSE_ALREADY_SENT
      if ('redirect' in answered) {
        const headers = { Location: answered.redirect, 'Cache-Control': 'no-store' }
        return respond({ status: 303, headers }, door.standing, visit.traceId, cookies)
      }
      return respondWithPage(answered, door, visit.traceId, cookies)
    }
  }
}

/** As browsers do when they go somewhere; a script asks for anything, or for JSON. */
const asksForHtml = (c: Context) =>
  accepts(c, { header: 'Accept', supports: ['application/json', 'text/html'], default: 'application/json' }) ===
  'text/html'

/** Tells on a page what was thrown, as far as the person may know of it. */
export function respondWithFailure(error: unknown, c: Context, door: Door, cookies?: Cookies): Response {
  const visit = c.get('visit')
  const url = c.env.incoming.url ?? ''
  const problem = reportProblem(error, url, visit, door)
  const { status, code } = problem
  // What is our fault is in the log already.
  const supportCode =
    status >= 500 ? supportCodeOf(visit.traceId) : reportRefusal(door.log, visit, { code, path: loggedPath(url) })
  return respondWithPage(failurePage(problem, supportCode), door, visit.traceId, cookies)
}

function failurePage({ status, message, headers }: Problem, supportCode: string): Page {
  const body = html`<h1>${phraseOf(status)}</h1><p>${message}</p>${supportLine(supportCode)}
    <p><a class="button" href="/app/">Go to the start</a></p>`
  return { status, title: phraseOf(status), body, headers }
}

/** What a person reads to support, who find it in the log and the audit: what `reportRefusal` gave. */
export const supportLine = (supportCode: string): Html =>
  html`<p class="quiet">Support code <code>${supportCode}</code></p>`

/** A form of ours, sent by a person from a page of ours: not by a script, and not by another site. */
function refuseForeignForm({ headers }: IncomingMessage, door: Door) {
  refuseForgery(headers, door.publicUrl)
  if ((headers['sec-fetch-dest'] ?? 'document') !== 'document')
    throw new Problem(403, 'csrf', 'Send this form as a document.')
}

async function readForm({ headers }: IncomingMessage, read: () => Promise<string>): Promise<URLSearchParams> {
  if (Number(headers['content-length'] ?? Number.NaN) <= maxFormBytes) return new URLSearchParams(await wholeOf(read()))
  throw new Problem(413, 'too-large', `A form has at most ${maxFormBytes} bytes.`)
}

/** The headers and the text of a page, for whatever sends them. */
export function documentOf({ title, body, formTargets = [], headers }: Page, door: Door) {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const all = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    ...headers,
  }
  return { headers: all, text: String(layout(title, door, body)) }
}

export function respondWithPage(page: Page, door: Door, traceId: string, cookies?: Cookies): Response {
  const { headers, text } = documentOf(page, door)
  return respond({ status: page.status ?? 200, headers, body: text }, door.standing, traceId, cookies)
}

function layout(title: string, { brandName, stylesheet }: Door, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} | ${brandName}</title>
<link rel="icon" href="/app/seal.svg" type="image/svg+xml">
${stylesheet ? html`<link rel="stylesheet" href="${stylesheet}">` : ''}
</head>
<body class="page">
<main class="sheet">
<p class="brand"><img src="/app/seal.svg" alt="" width="40" height="40"> ${brandName}</p>
${body}
</main>
</body>
</html>`
}
