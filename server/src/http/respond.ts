import type { Cookies } from './cookies.ts'

/** What goes back to the client, before the headers that every answer has. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null
}

/** Nothing of an API answer is to be run, framed or guessed at. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Makes the response with the headers that every answer carries. `standing` are those of this server as a whole. */
export function respond(
  answer: Answer,
  standing: Record<string, string>,
  traceId: string,
  cookies?: Cookies,
): Response {
  const { status, body = null } = answer
  const plain = { ...standing, 'x-trace-id': traceId, ...answer.headers }
  // The adapter sends a plain object as it is and a Headers object at half the speed; only the latter can repeat a name.
  if (!cookies || cookies.toSet.length === 0) return new Response(body, { status, headers: plain })
  const headers = new Headers(plain)
  for (const line of cookies.toSet) headers.append('set-cookie', line)
  return new Response(body, { status, headers })
}

/** The headers of every answer of this server; `isSecure` is whether browsers reach it by https. */
export function standingHeaders(isSecure: boolean): Record<string, string> {
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
