/** The headers by which a browser lets a page of another origin read an answer. Never with that browser's cookies. */
export type CorsHeaders = (origin: string | undefined) => Record<string, string>

/** What scripts of another origin may read of an answer besides what the browser lets them anyway. */
const exposed = 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, x-trace-id'

/** `origins` are those that this stack lets in. */
export function corsHeadersFor(origins: string[]): CorsHeaders {
  const allowed = new Set(origins)
  return (origin) => {
    const vary = { Vary: 'Origin, Cookie, Authorization, Accept' }
    if (!origin || !allowed.has(origin)) return vary
    return { ...vary, 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed }
  }
}

/** The headers of an answer that a page of any origin may read. */
export const openCorsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  Vary: 'Accept',
}

/** The answer to a browser that asks beforehand; `methods` are what the path knows. */
export function preflightHeaders(methods: string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, If-Match, If-None-Match, If-Modified-Since, Idempotency-Key, traceparent, x-api-version',
    'Access-Control-Max-Age': '600',
  }
}
