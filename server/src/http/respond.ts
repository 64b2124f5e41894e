import type { Cookies } from './cookies.ts'

/** A response, before the common headers are added. */
export interface ResponseParts {
  status: number
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null
}

/** The policy of API responses, which load nothing and must not be framed. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Creates a response with the standard headers of this server, the trace id and the cookies. */
export function respond(
  parts: ResponseParts,
  standardHeaders: Record<string, string>,
  traceId: string,
  cookies?: Cookies,
): Response {
  const { status, body = null } = parts
  const plainHeaders = { ...standardHeaders, 'x-trace-id': traceId, ...parts.headers }
  // The adapter sends a plain object directly and a Headers object at half the speed; only the latter can repeat a
  // name.
  if (!cookies || cookies.toSet.length === 0) return new Response(body, { status, headers: plainHeaders })
  const headers = new Headers(plainHeaders)
  for (const line of cookies.toSet) headers.append('set-cookie', line)
  return new Response(body, { status, headers })
}

/** The standard headers about pages and their parts, which say nothing about a public document for programs. */
export const pageHeaders = [
  'Referrer-Policy',
  'X-Frame-Options',
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
]

/** Creates the headers of every response of this server; `isSecure` means that browsers reach it over https. */
export function createStandardHeaders(isSecure: boolean): Record<string, string> {
  return {
    'api-supported-versions': '1',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'Content-Security-Policy': apiPolicy,
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(isSecure && { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }),
  }
}
