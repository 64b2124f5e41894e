import { endpoints } from '@passport/contract/api'
import { Hono } from 'hono'
import type { Admit } from './admission.ts'
import type { RecordCompletion } from './completion.ts'
import type { Context, Environment } from './environment.ts'
import { renderFailure, renderRefusal } from './failure.ts'
import type { HttpContext } from './http-context.ts'
import { respondToOtherMethod } from './other-methods.ts'
import { notFound } from './problems.ts'
import { respond } from './respond.ts'
import { toRoutePattern } from './route-pattern.ts'

/** Creates the application with the steps of every request: visit, admission, metrics and log. */
export function createBaseApp(http: HttpContext, recordCompletion: RecordCompletion, admit: Admit): Hono<Environment> {
  const app = new Hono<Environment>({ getPath: readRequestPath })

  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env
    const startedAt = performance.now()
    const visit = http.readVisit(incoming)
    c.set('visit', visit)
    const { slot, refusal } = admit(incoming, visit, c.req.path)
    c.set('loadSlot', slot)
    if (refusal) {
      const { code, ...parts } = renderRefusal(refusal, incoming, visit, http)
      c.set('problemCode', code)
      c.res = respond(parts, http.standardHeaders, visit.traceId)
    } else await next()
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

/** Converts any error to a response; only a `Problem` discloses details to the caller. */
function respondToError(error: unknown, c: Context, http: HttpContext): Response {
  const visit = c.get('visit')
  const { code, ...parts } = renderFailure(error, c.env.incoming, visit, http)
  c.set('problemCode', code)
  return respond(parts, http.standardHeaders, visit.traceId)
}
