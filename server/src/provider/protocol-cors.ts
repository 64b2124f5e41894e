import type { ProtocolRequest } from '../http/protocol.ts'

// CORS of the protocol's endpoints, which browsers call without cookies. Whether a page may read the response for a client
// is decided once the client is known (`isAllowedOrigin`).

/** Returns the headers by which pages of an origin may read a response. */
export const corsHeadersOf = (origin: string | undefined): Record<string, string> => ({
  Vary: 'Origin',
  'Access-Control-Allow-Origin': origin ?? '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate',
})

/** Creates the responses to preflight requests: any page may send a request with these methods. */
export function createPreflight(methods: string): (request: ProtocolRequest) => Record<string, string> {
  return ({ incoming: { headers } }) => {
    const requested = headers['access-control-request-headers']
    if (headers['access-control-request-method'] === undefined) return { Vary: 'Origin' }
    return {
      Vary: 'Origin',
      'Access-Control-Allow-Origin': headers.origin ?? '*',
      'Access-Control-Max-Age': '3600',
      'Access-Control-Allow-Methods': methods,
      ...(requested !== undefined && { 'Access-Control-Allow-Headers': requested }),
    }
  }
}
