import { openCorsHeaders, preflightHeaders } from './cors.ts'
import type { Door } from './door.ts'
import type { Context } from './environment.ts'
import { Problem } from './problem.ts'
import { respond } from './respond.ts'

/** Answers OPTIONS of browsers that ask beforehand; throws 405 for the rest. `methods` are what the path knows. */
export function answerOtherMethod(c: Context, door: Door, methods: string[], isOpenToAllOrigins = false): Response {
  const allow = { Allow: methods.join(', ') }
  if (c.req.method !== 'OPTIONS') throw new Problem(405, 'method-not-allowed', undefined, { headers: allow })
  const origins = isOpenToAllOrigins ? openCorsHeaders : door.corsHeaders(c.req.header('origin'))
  const headers = { ...allow, ...preflightHeaders(methods), ...origins }
  return respond({ status: 204, headers }, door.standing, c.get('visit').traceId)
}
