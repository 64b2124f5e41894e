import { endpoints } from '@passport/contract/api'
import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Door } from './door.ts'
import type { Context, Environment } from './environment.ts'
import type { CountRequest } from './metrics.ts'
import { answerOtherMethod } from './other-methods.ts'
import { respondWithPage } from './page.ts'
import { Problem } from './problem.ts'
import { loggedPath, reportProblem } from './report.ts'
import { respond } from './respond.ts'
import { routePattern } from './route-pattern.ts'

/** Reached by whoever watches over the server, by any name that works for them. */
const isForWatchers = (path: string) => path === '/healthz' || path === '/readyz' || path === '/metrics'

/** The application with what comes before every route: who visits, by which host, and how it went. */
export function createFront(door: Door, count: CountRequest): Hono<Environment> {
  const app = new Hono<Environment>({ getPath: askedPath })
  const publicHost = new URL(door.publicUrl).host

  app.use(async (c, next) => {
    const { incoming } = c.env
    const startedAt = performance.now()
    const visit = door.readVisit(incoming)
    c.set('visit', visit)
    if (visit.host === publicHost || isForWatchers(c.req.path) || isLook(c.req.path)) await next()
    else c.res = answerOtherHost(c, door)
    const seconds = (performance.now() - startedAt) / 1000
    count(incoming.method ?? '', c.res.status, seconds)
    if (!door.log.isLevelEnabled('debug')) return
    door.log.debug(
      { method: incoming.method, path: loggedPath(c.req.path), status: c.res.status, seconds, ...visit },
      'answered',
    )
  })

  app.onError((error, c) => respondToError(error, c, door))
  app.notFound((c) => respondToError(new Problem(404, 'not-found', 'No such path.'), c, door))
  return app
}

/**
 * The path as it was asked for, still percent-encoded: the framework would take dots out of it, and decode line ends
 * that its patterns then stop at. Only of a whole address (RFC 9112, section 3.2.2) it is what the framework makes of it.
 */
function askedPath(request: Request, options?: { env?: Environment['Bindings'] }): string {
  const target = options?.env?.incoming.url ?? ''
  return target.startsWith('/') ? target.replace(/[?#].*$/s, '') : new URL(request.url).pathname
}

/** Answers what endpoints leave over of their paths: OPTIONS of browsers that ask beforehand, and 405 for the rest. */
export function serveOtherMethodsOn(app: Hono<Environment>, door: Door): void {
  const methodsOf = Map.groupBy(endpoints.values(), ({ path }) => path)
  for (const [path, served] of methodsOf) {
    const methods = [...served.map(({ method }) => method as string), 'OPTIONS']
    if (methods.includes('GET')) methods.push('HEAD')
    const isOpen = served.some(({ openToAllOrigins }) => openToAllOrigins)
    app.all(routePattern(path), (c) => answerOtherMethod(c, door, methods, isOpen))
  }
}

/** Turns whatever was thrown into an answer; only a `Problem` may tell the caller what happened. */
function respondToError(error: unknown, c: Context, door: Door): Response {
  const visit = c.get('visit')
  const path = c.env.incoming.url?.split('?')[0] ?? ''
  const problem = reportProblem(error, path, visit, door)
  const headers = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...door.corsHeaders(c.req.header('origin')),
    ...problem.headers,
  }
  const body = JSON.stringify(problem.toBody(door.publicUrl, path, visit.traceId))
  return respond({ status: problem.status, headers, body }, door.standing, visit.traceId)
}

/** What the page for who comes by another name looks like: files that are the same for everyone. */
const isLook = (path: string) => path === '/app/seal.svg' || /^\/app\/assets\/[\w.-]+\.(?:css|woff2)$/.test(path)

/** One who comes by another name would lose the cookie on the way and go round in circles: say which line to change. */
function answerOtherHost(c: Context, door: Door): Response {
  const { host, traceId } = c.get('visit')
  const asked = `${door.isSecure ? 'https' : 'http'}://${host}`
  const detail = `This server is ${door.publicUrl}, and the request is for ${host}.`
  if (!c.req.header('accept')?.includes('text/html')) {
    return respondToError(new Problem(421, 'wrong-host', `${detail} Set PUBLIC_URL to what clients use.`), c, door)
  }
  const body = html`<h1>This is not the address of ${door.brandName}</h1>
    <p>${detail}</p>
    <p><a class="button" href="${door.publicUrl}/app/">Go to ${door.publicUrl}</a></p>
    <p>If people are to come by the name they just used, start the server with this line changed:</p>
    <pre>PUBLIC_URL=${asked}</pre>`
  return respondWithPage({ status: 421, title: 'Another address', body }, door, traceId)
}
