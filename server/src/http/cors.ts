/** Returns the headers that let a page of another origin read a response, never with that browser's cookies. */
export type CorsHeaders = (origin: string | undefined) => Record<string, string>

/** Response headers exposed to scripts of other origins, besides the CORS-safelisted ones. */
const exposed = 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, x-trace-id'

/** `origins` are the allowed origins of this stack. */
export function corsHeadersFor(origins: string[]): CorsHeaders {
  const allowed = new Set(origins)
  return (origin) => {
    const vary = { Vary: 'Origin, Cookie, Authorization, Accept' }
    if (!origin || !allowed.has(origin)) return vary
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

/** The headers of a preflight response; `methods` are those of the path. */
export function createPreflightHeaders(methods: string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, If-Match, If-None-Match, If-Modified-Since, Idempotency-Key, traceparent, x-api-version',
    'Access-Control-Max-Age': '600',
  }
}
