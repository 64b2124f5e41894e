import { createPreflightHeaders, openCorsHeaders } from './cors.ts'
import type { Context } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import { Problem } from './problem.ts'
import { respond } from './respond.ts'

/** Responds to a preflight OPTIONS; throws 405 for other methods. `methods` are those of the path. */
export function respondToOtherMethod(
  c: Context,
  http: HttpContext,
  methods: string[],
  isOpenToAllOrigins = false,
): Response {
  const allow = { Allow: methods.join(', ') }
  if (c.req.method !== 'OPTIONS') throw new Problem(405, 'method-not-allowed', undefined, { headers: allow })
  const origins = isOpenToAllOrigins ? openCorsHeaders : http.corsHeaders(c.req.header('origin'))
  const headers = { ...allow, ...createPreflightHeaders(methods), ...origins }
  return respond({ status: 204, headers }, http.standardHeaders, c.get('visit').traceId)
}
