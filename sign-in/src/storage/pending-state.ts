/** The route of a callback: sign-in (`si`) or sign-out (`so`), by redirect, by popup or silently in a frame. */
export type RequestType = 'si:r' | 'si:p' | 'si:s' | 'so:r' | 'so:p'

/** A pending request. It holds the values to validate the response against, and no client secret. */
export interface PendingState {
  /** 32 hexadecimal digits; the `state` parameter. */
  id: string
  /** s since 1970 */
  created: number
  request_type: RequestType
  authority: string
  client_id: string
  /** Returned to the application with the response. */
  data?: unknown
}

/** A pending authorization request. */
export interface PendingSignIn extends PendingState {
  redirect_uri: string
  response_mode: 'query' | 'fragment'
  nonce: string
  /** Code flow only (RFC 7636, section 4.1). */
  code_verifier?: string
  scope: string
  extraTokenParams?: Record<string, string>
  skipUserInfo?: boolean
}

/** Returns 32 unguessable hexadecimal digits. */
export const randomId = (): string => crypto.randomUUID().replaceAll('-', '')

/** Returns the parameters of a URL from both places of a response; the state determines which applies. */
export function parseResponseParameters(responseUrl: string): Record<PendingSignIn['response_mode'], URLSearchParams> {
  const { searchParams, hash } = new URL(responseUrl)
  return { query: searchParams, fragment: new URLSearchParams(hash.slice(1)) }
}

/** Reports whether a response is handled by the page it arrives at, instead of forwarded to the requesting page. */
export const isRedirect = ({ request_type }: PendingState): boolean => request_type.endsWith(':r')
