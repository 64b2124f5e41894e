import type { IncomingMessage, ServerResponse } from 'node:http'
import { phraseOf } from '@passport/contract/phrases'
import { supportCodeOf } from '@passport/contract/support-code'
import { html, raw } from 'hono/html'
import { type Brand, fitLogo, isWordmark } from './brand.ts'
import { type Caller, isAdministrator } from './caller.ts'
import type { Cookies } from './cookies.ts'
import type { Context } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import { redactPath, reportProblem, reportRejection } from './report.ts'
import { respond } from './respond.ts'
import type { Visit } from './visit.ts'

export { html, raw } from 'hono/html'

/** Markup with all values escaped. */
export type Html = ReturnType<typeof html>

/** A request for a page of the server itself, such as those of sign-in, which must work without the app. */
export interface PageRequest {
  params: Record<string, string>
  /** The URL of the request, with path and query. */
  url: URL
  form: URLSearchParams
  cookies: Cookies
  visit: Visit
  /** The user with a session in this browser. */
  caller: Caller | undefined
  /** Node's request and response, for the protocol library. */
  node: { incoming: IncomingMessage; outgoing: ServerResponse }
}

/** A document, or a redirect (303). */
export type PageResult = Page | { redirect: string }

export interface Page {
  status?: number
  title: string
  body: Html
  /**
   * Further URLs to whose origins a form of this page may lead, or `any`: browsers apply the policy to the redirects that
   * follow as well.
   */
  formTargets?: string[] | 'any'
  /** The path of the page's script. */
  script?: string
  headers?: Record<string, string>
  /** The brand of the page, if it is not that of the installation. */
  brand?: Brand
  /** This object is the page for everyone, so it is rendered once for each theme and brand. It has no support code. */
  isConstant?: boolean
}

/** Reports an error and shows it on a page. Only a `Problem` discloses details. */
export function respondWithFailure(error: unknown, c: Context, http: HttpContext, cookies?: Cookies): Response {
  const visit = c.get('visit')
  const { page, code } = renderFailurePage(error, c.env.incoming, visit, http)
  c.set('problemCode', code)
  return respondWithPage(page, http, visit.traceId, cookies)
}

/** Reports an error, and renders it as a page. Only a `Problem` discloses details. */
export function renderFailurePage(
  error: unknown,
  { url = '', method }: IncomingMessage,
  visit: Visit,
  http: HttpContext,
): { page: Page & { status: number }; code: string } {
  const { status, code, message, headers } = reportProblem(error, url, visit, http)
  // `reportProblem` has logged server errors.
  const supportCode =
    status >= 500 ? supportCodeOf(visit.requestId) : reportRejection(http.log, visit, { code, path: redactPath(url) })
  const title = titles[status] ?? (status >= 500 ? serverErrorTitle : clientErrorTitle)
  const isTemporary = method === 'GET' && (status === 429 || status >= 500)
  const body = html`${renderHead(title, message)}
    <p class="actions">${isTemporary ? html`<a class="button" href="">Try again</a>` : ''}
      <a class="${isTemporary ? 'button plain' : 'button'}" href="/app/">Go to the home page</a></p>
    ${renderSupportLine(supportCode, `${status} ${phraseOf(status)}`)}`
  return { page: { status, title, body, headers }, code }
}

const serverErrorTitle = 'Something went wrong'
const clientErrorTitle = 'This request is not valid'
/** The titles of some errors, by status. */
const titles: Record<number, string> = {
  401: 'Sign in first',
  403: 'This is not allowed',
  404: 'Page not found',
  429: 'Too many requests',
  503: 'Not available at the moment',
}

/** The emblem of a page, in place of which the layout shows the logo of the brand. */
const emblem = '<img src="/app/seal.svg" alt="" width="56" height="56">'

/** Renders the emblem, the heading and the texts of a page, centred. */
export const renderHead = (title: string, ...texts: (Html | string | undefined)[]): Html =>
  html`<div class="head">
    ${raw(emblem)}
    <h1>${title}</h1>
    ${texts.map((text) => text && html`<p>${text}</p>`)}
  </div>`

/** Renders the contact of users: a link to the support page of the brand, or else a text. */
export const renderContact = ({ supportUrl, supportContact }: Brand): Html | string =>
  supportUrl === undefined ? supportContact : html`<a href="${supportUrl}">${supportContact}</a>`

/** Renders a support code, by which an administrator finds the trace, the log line and the audit events. */
export const renderSupportLine = (supportCode: string, status?: string): Html =>
  html`<p class="support">Support code <code>${supportCode}</code>${status ? ` · ${status}` : ''}
    <button type="button" class="plain" data-copy="${supportCode}" aria-label="Copy the support code" aria-live="polite" hidden>Copy</button></p>`

/** The path of the script that copies support codes. */
export const copyScriptPath = '/problems/copy-support-code.js'

/** Returns the support code that a page shows. */
const findSupportCode = (body: Html): string | undefined =>
  /<button type="button" class="plain" data-copy="([0-9A-F-]{9})"/.exec(String(body))?.[1]

/** Renders the link to the steps of the failed request, which only administrators see. */
const renderTraceLink = (supportCode: string): Html =>
  html`<p class="support"><a href="/app/admin/audit/signins/trace?q=${supportCode}">Open the trace of this code</a></p>`

interface PageDocument {
  headers: Record<string, string>
  /** The text, already encoded if the page is constant. */
  text: string | Uint8Array<ArrayBuffer>
}

/** The documents of constant pages by theme, for the brand that they show. */
const constantDocuments = new WeakMap<Page, { brand: Brand; byTheme: Map<Theme | undefined, PageDocument> }>()

/** Renders the headers and the text of a page. */
export function renderDocument(page: Page, http: HttpContext, { cookies, caller }: PageContext = {}): PageDocument {
  const brand = page.brand ?? http.readBrand()
  // A cached page must be the same for everyone.
  const theme = page.headers?.['Cache-Control'] ? undefined : readTheme(cookies)
  if (!page.isConstant) return render({ ...page, brand }, http, theme, caller)
  const former = constantDocuments.get(page)
  const { byTheme } = former?.brand === brand ? former : { byTheme: new Map<Theme | undefined, PageDocument>() }
  const kept = byTheme.get(theme)
  if (kept) return kept
  const { headers, text } = render({ ...page, brand }, http, theme)
  const document = { headers, text: new TextEncoder().encode(text) }
  constantDocuments.set(page, { brand, byTheme: byTheme.set(theme, document) })
  return document
}

function render(page: Page & { brand: Brand }, http: HttpContext, theme: Theme | undefined, caller?: Caller) {
  const { title, body, formTargets = [], headers, brand } = page
  const supportCode = findSupportCode(body)
  const scripts = [page.script, supportCode && copyScriptPath].filter((path) => path !== undefined)
  const isTraced = supportCode !== undefined && caller !== undefined && isAdministrator(caller)
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    ...(scripts.length > 0 ? ["script-src 'self'"] : []),
    ...(formTargets === 'any' ? [] : [`form-action ${["'self'", ...formTargets.map(toCspSource)].join(' ')}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const all = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    ...headers,
  }
  const shown = isTraced ? html`${body}${renderTraceLink(supportCode)}` : body
  return { headers: all, text: String(renderLayout({ title, body: shown, scripts, theme, brand }, http.stylesheet)) }
}

/** Returns the CSP source of a URL: its origin, or its scheme where CSP has no syntax for it (app schemes and IPv6). */
function toCspSource(url: string): string {
  const { origin, protocol } = new URL(url)
  return origin !== 'null' && /^[\w.:/-]+$/.test(origin) ? origin : protocol
}

/** The browser and the user that a page is for. */
interface PageContext {
  cookies?: Pick<Cookies, 'get'> | undefined
  caller?: Caller | undefined
}

export function respondWithPage(
  page: Page,
  http: HttpContext,
  traceId: string,
  cookies?: Cookies,
  caller?: Caller,
): Response {
  const { headers, text } = renderDocument(page, http, { cookies, caller })
  return respond({ status: page.status ?? 200, headers, body: text }, http.standardHeaders, traceId, cookies)
}

type Theme = 'light' | 'dark'

/** Returns the theme that the app has stored in a cookie; without it the system's theme applies. */
function readTheme(cookies: PageContext['cookies']): Theme | undefined {
  const theme = cookies?.get('passport-theme')
  return theme === 'light' || theme === 'dark' ? theme : undefined
}

interface Layout extends Pick<Page, 'title' | 'body'> {
  /** The paths of the scripts. */
  scripts: string[]
  theme: Theme | undefined
  brand: Brand
}

/** Renders the logo of a brand, or the emblem of the product without one. */
function renderLogo({ logo }: Brand, height: number, name = ''): Html {
  const { width, height: shown } = logo ? fitLogo(logo, height) : { width: height, height }
  return html`<img src="${logo?.url ?? '/app/seal.svg'}" alt="${name}" width="${width}" height="${shown}">`
}

function renderLayout({ title, body, scripts, theme, brand }: Layout, stylesheet: string | undefined): Html {
  return html`<!doctype html>
<html lang="en" ${theme ? html`data-theme="${theme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} | ${brand.name}</title>
${renderIcon(brand)}
${stylesheet ? html`<link rel="stylesheet" href="${stylesheet}">` : ''}
${brand.stylesheet ? html`<link rel="stylesheet" href="${brand.stylesheet}">` : ''}
${scripts.map(
  (script) => html`<script src="${script}" defer></script>
`,
)}
</head>
<body class="page">
<header><p class="brand">${brand.logo && isWordmark(brand.logo) ? renderLogo(brand, 32, brand.name) : html`${renderLogo(brand, 32)} ${brand.name}`}</p></header>
<main class="sheet">
${raw(String(body).replace(emblem, () => String(renderLogo(brand, 56))))}
</main>
</body>
</html>`
}

/** Renders the link to the icon of the browser tab. */
export const renderIcon = ({ favicon }: Pick<Brand, 'favicon'>): Html =>
  favicon === undefined
    ? html`<link rel="icon" href="/app/seal.svg" type="image/svg+xml">`
    : html`<link rel="icon" href="${favicon}" type="image/png">`
