/** What a callback is routed on: sign-in (`si`) and sign-out (`so`), by redirect, popup or silently in a frame. */
export type RequestType = 'si:r' | 'si:p' | 'si:s' | 'so:r' | 'so:p'

/** A request that waits for its answer. It holds what the answer is judged by, and no secret of the client. */
export interface PendingState {
  /** 32 hexadecimal digits; the `state` parameter. */
  id: string
  /** s since 1970 */
  created: number
  request_type: RequestType
  /** What the application gets back with the answer. */
  data?: unknown
}

/** An authorization request that waits. */
export interface PendingSignIn extends PendingState {
  authority: string
  client_id: string
  redirect_uri: string
  response_mode: 'query' | 'fragment'
  nonce: string
  /** Only of the code flow (RFC 7636, section 4.1). */
  code_verifier?: string
  scope: string
  extraTokenParams?: Record<string, string>
  skipUserInfo?: boolean
}

/** 32 hexadecimal digits that nobody can guess. */
export const randomId = (): string => crypto.randomUUID().replaceAll('-', '')

/** The parameters of an address in both places where an answer can be; which one counts, the state says. */
export function parametersOf(address: string): Record<PendingSignIn['response_mode'], URLSearchParams> {
  const { searchParams, hash } = new URL(address)
  return { query: searchParams, fragment: new URLSearchParams(hash.slice(1)) }
}

/** Whether an answer to it is taken by the page that it arrives on, and not passed on to the page that asked. */
export const isRedirect = ({ request_type }: PendingState): boolean => request_type.endsWith(':r')
