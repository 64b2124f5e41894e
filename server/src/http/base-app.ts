import { endpoints } from '@passport/contract/api'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { createHostCheck } from './allowed-host.ts'
import type { RecordCompletion } from './completion.ts'
import type { Context, Environment } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import { isExemptFromLoad, isForMonitoring, type LoadLimiter } from './load.ts'
import { respondToOtherMethod } from './other-methods.ts'
import { renderHead, respondWithFailure, respondWithPage } from './page.ts'
import type { Problem } from './problem.ts'
import { notFound, overloaded, wrongHost } from './problems.ts'
import { reportProblem } from './report.ts'
import { respond } from './respond.ts'
import { toRoutePattern } from './route-pattern.ts'
import { createSampledLog } from './sampled-log.ts'
import { findTargetProblem } from './target-limits.ts'

/** Creates the application with the steps of every request: visit, load limit, host check, metrics and log. */
export function createBaseApp(
  http: HttpContext,
  recordCompletion: RecordCompletion,
  loadLimiter: LoadLimiter,
): Hono<Environment> {
  const warn = createSampledLog(http.log, 'overloaded', 1)
  const app = new Hono<Environment>({ getPath: readRequestPath })
  const isOwnHost = createHostCheck(http)
  const isAllowedHost = (host: string, { req: { path }, env }: Context) =>
    isOwnHost(host, path, env.incoming.headers) || isForMonitoring(path) || isPageAsset(path)

  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env
    const startedAt = performance.now()
    const visit = http.readVisit(incoming)
    c.set('visit', visit)
    const isCounted = !isExemptFromLoad(c.req.path)
    const slot = isCounted ? loadLimiter.admit() : undefined
    c.set('loadSlot', slot)
    const targetProblem = findTargetProblem(incoming.url ?? '')
    if (isCounted && !slot) {
      warn({})
      c.res = respondOverloaded(c, http)
    } else if (!isAllowedHost(visit.host, c)) c.res = respondToOtherHost(c, http)
    else if (targetProblem) c.res = respondToTarget(targetProblem, c, http)
    else await next()
    slot?.release()
    const seconds = (performance.now() - startedAt) / 1000
    // The framework does not know the status of a mount, which uses Node's response.
    const status = outgoing.headersSent ? outgoing.statusCode : c.res.status
    recordCompletion(incoming, visit, c.req.path, {
      route: c.get('route') ?? 'none',
      status,
      code: c.get('problemCode'),
      seconds,
      isStream: c.get('isStream') === true,
    })
  })

  app.onError((error, c) => respondToError(error, c, http))
  app.notFound((c) => respondToError(notFound(), c, http))
  return app
}

/**
 * Returns the request path, still percent-encoded: the framework would remove dot segments and decode line ends, which
 * its patterns do not match. An absolute URL (RFC 9112, section 3.2.2) is parsed.
 */
function readRequestPath(request: Request, options?: { env?: Environment['Bindings'] }): string {
  const target = options?.env?.incoming.url ?? ''
  return target.startsWith('/') ? target.replace(/[?#].*$/s, '') : new URL(request.url).pathname
}

/** Handles the other methods of endpoint paths: preflight OPTIONS, and 405 for the rest. */
export function serveOtherMethodsOn(app: Hono<Environment>, http: HttpContext): void {
  const endpointsByPath = Map.groupBy(endpoints.values(), ({ path }) => path)
  for (const [path, served] of endpointsByPath) {
    const methods = [...served.map(({ method }) => method as string), 'OPTIONS']
    if (methods.includes('GET')) methods.push('HEAD')
    const isOpen = served.some(({ openToAllOrigins }) => openToAllOrigins)
    app.all(toRoutePattern(path), (c) => respondToOtherMethod(c, http, methods, isOpen))
  }
}

/** Rejects a request before any work, at much less cost than its own. */
function respondOverloaded(c: Context, http: HttpContext): Response {
  const { traceId } = c.get('visit')
  const problem = overloaded()
  c.set('problemCode', problem.code)
  if (!c.req.header('accept')?.includes('text/html')) return respondWithProblem(problem, c, http)
  const body = renderHead('Too many requests at once', problem.message)
  return respondWithPage(
    { status: 503, title: 'Too many requests at once', body, headers: problem.headers },
    http,
    traceId,
  )
}

function respondToTarget(problem: Problem, c: Context, http: HttpContext): Response {
  const isPage = c.req.header('accept')?.includes('text/html')
  return isPage ? respondWithFailure(problem, c, http) : respondToError(problem, c, http)
}

/** Converts any error to a response; only a `Problem` discloses details to the caller. */
function respondToError(error: unknown, c: Context, http: HttpContext): Response {
  const path = c.env.incoming.url?.split('?')[0] ?? ''
  return respondWithProblem(reportProblem(error, path, c.get('visit'), http), c, http)
}

function respondWithProblem(problem: Problem, c: Context, http: HttpContext): Response {
  c.set('problemCode', problem.code)
  const visit = c.get('visit')
  const path = c.env.incoming.url?.split('?')[0] ?? ''
  const headers = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...http.corsHeaders(c.req.header('origin')),
    ...problem.headers,
  }
  const body = JSON.stringify(problem.toBody(http.publicUrl, path, visit))
  return respond({ status: problem.status, headers, body }, http.standardHeaders, visit.traceId)
}

/** Reports whether a path is an asset of the page for a wrong host name. */
const isPageAsset = (path: string) =>
  path === '/app/seal.svg' || /^\/app\/assets\/[\w.-]+\.(?:css|svg|woff2)$/.test(path)

/** Shows the setting to change: with another host name, browsers would not send the session, and redirect endlessly. */
function respondToOtherHost(c: Context, http: HttpContext): Response {
  const { host, traceId } = c.get('visit')
  const requestedUrl = `${http.isSecure ? 'https' : 'http'}://${host}`
  const detail = `This server is ${http.publicUrl}, but the request is for ${host}.`
  if (!c.req.header('accept')?.includes('text/html')) {
    return respondToError(wrongHost(http.publicUrl, host), c, http)
  }
  const body = html`<h1>This is not the address of ${http.readBrand().name}</h1>
    <p>${detail}</p>
    <p class="actions"><a class="button" href="${http.publicUrl}/app/">Go to ${http.publicUrl}</a></p>
    <p>To use this address instead, start the server with this setting:</p>
    <pre>PUBLIC_URL=${requestedUrl}</pre>`
  return respondWithPage({ status: 421, title: 'Wrong address', body }, http, traceId)
}
