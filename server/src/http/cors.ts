/** Returns the headers that let pages of an allowed origin read a response to a request without cookies. */
export type CorsHeaders = (origin: string | undefined) => Record<string, string>

/** Response headers exposed to scripts of other origins, besides the CORS-safelisted ones. */
const exposed = 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, x-trace-id'

/** Creates the headers for the allowed origins of this stack, which administrators change while the server runs. */
export function createCorsHeaders(readOrigins: () => ReadonlySet<string>): CorsHeaders {
  return (origin) => {
    const vary = { Vary: 'Origin, Cookie, Authorization, Accept' }
    if (!origin || !readOrigins().has(origin)) return vary
    return { ...vary, 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed }
  }
}

/** The headers of a response that pages of any origin may read. */
export const openCorsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  Vary: 'Accept',
}

/** Creates the headers of a preflight response; `methods` are those of the path. */
export function createPreflightHeaders(methods: string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, If-Match, If-None-Match, If-Modified-Since, Idempotency-Key, traceparent, x-api-version',
    'Access-Control-Max-Age': '600',
  }
}
