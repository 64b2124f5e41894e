import { createPreflightHeaders, openCorsHeaders } from './cors.ts'
import type { Context } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import { methodNotAllowed } from './problems.ts'
import { respond } from './respond.ts'

/** Responds to a preflight OPTIONS; throws 405 for other methods. `methods` are those of the path. */
export function respondToOtherMethod(
  c: Context,
  http: HttpContext,
  methods: string[],
  isOpenToAllOrigins = false,
): Response {
  const allowed = methods.join(', ')
  if (c.req.method !== 'OPTIONS') throw methodNotAllowed(allowed)
  const origins = isOpenToAllOrigins ? openCorsHeaders : http.corsHeaders(c.req.header('origin'))
  const headers = { Allow: allowed, ...createPreflightHeaders(methods), ...origins }
  return respond({ status: 204, headers }, http.standardHeaders, c.get('visit').traceId)
}
