import type { IncomingHttpHeaders } from 'node:http'
import { chooseMediaType } from './accept.ts'
import type { Context } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import type { Problem } from './problem.ts'
import { reportProblem, reportRejection } from './report.ts'
import { type ResponseParts, respond } from './respond.ts'

/** The pages to which a browser is redirected that navigates to an endpoint, by the result of the call. */
export interface NavigationTargets<Value> {
  onSuccess: (value: Value) => string
  onFailure: (problem: Problem) => string
}

/** Reports whether the client prefers HTML, as browsers do on navigation; scripts prefer JSON or accept anything. */
export const acceptsHtml = ({ env }: Context): boolean =>
  chooseMediaType(env.incoming.headers, ['application/json', 'text/html']) === 'text/html'

/** Reports whether a user sees the response, because a browser navigates to it. */
export const isNavigation = (c: Context): boolean =>
  c.env.incoming.headers['sec-fetch-mode'] === 'navigate' || acceptsHtml(c)

/** Reports whether a browser navigates a whole tab or window, rather than a frame in a page of another site. */
export const isTopLevelNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

export const toRedirect = (target: string): ResponseParts => ({ status: 303, headers: { Location: target } })

/** Redirects a browser by the result of a call. After a failure no cookies are set. */
export async function redirectNavigation<Value>(
  c: Context,
  http: HttpContext,
  { onSuccess, onFailure }: NavigationTargets<Value>,
  respondToCall: (c: Context, findTarget: (value: Value) => string) => Promise<Response>,
): Promise<Response> {
  try {
    return await respondToCall(c, onSuccess)
  } catch (error) {
    const visit = c.get('visit')
    const path = c.get('route') ?? ''
    const problem = reportProblem(error, path, visit, http)
    if (problem.status < 500) reportRejection(http.log, visit, { code: problem.code, path })
    const headers = { ...toRedirect(onFailure(problem)).headers, 'Cache-Control': 'no-store' }
    return respond({ status: 303, headers }, http.standardHeaders, visit.traceId)
  }
}
