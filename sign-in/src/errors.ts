/** The client's own error messages by code; the sentences are those of the specification's catalogue. */
const messages = {
  no_popup_redirect_uri: 'No popup_redirect_uri or redirect_uri configured',
  no_silent_redirect_uri: 'No silent_redirect_uri configured',
  no_redirect_uri: 'No redirect_uri configured',
  no_token_response: 'No response returned from token endpoint',
  no_access_token: 'No access token returned from token endpoint',
  sub_changed: 'sub in id_token does not match current sub',
  auth_time_changed: 'auth_time in id_token does not match original auth_time',
  azp_changed: 'azp in id_token does not match original azp',
  azp_missing: 'azp not in id_token, but present in original id_token',
  invalid_id_token: 'Failed to validate id_token',
  login_required: 'login_required',
  no_url: 'No url provided',
  popup_closed: 'Popup window closed',
  popup_blocked: 'Error opening popup window',
  invalid_popup_response: 'Invalid response from popup',
  frame_timeout: 'Frame window timed out',
  invalid_request_type: 'invalid response_type in state',
  no_state: 'No state in response',
  state_not_found: 'No matching state found in storage',
  state_already_used: 'No matching state found in storage',
  state_mismatch: 'State does not match',
  no_client_id_in_state: 'No client_id on state',
  authority_mismatch: 'authority mismatch on settings vs. signin state',
  client_id_mismatch: 'client_id mismatch on settings vs. signin state',
  no_id_token: 'No id_token in response',
  unexpected_id_token: 'Unexpected id_token in response',
  no_code: 'No code in response',
  unexpected_code: 'Unexpected code in response',
  sub_mismatch: 'sub from user info endpoint does not match sub in id_token',
  no_revocation_endpoint: 'Revocation not supported',
  no_end_session_endpoint: 'no end session endpoint',
  no_client_id: 'No client_id configured on settings',
  storage_unavailable: 'The storage of the browser is full or forbidden',
  no_authority: 'No authority or metadataUrl configured on settings',
  unsupported_response_type: 'Only the response types code and id_token are supported',
  insecure_address: 'Only https URLs are allowed, or http on localhost',
  network_error: 'Network Error',
  timeout: 'Network Error',
  aborted: 'The request was aborted',
} as const

/** The codes of this client's own errors. */
export type SigninErrorCode = keyof typeof messages

/** The details of an error besides its message. */
export interface SigninErrorDetails {
  /** One of `SigninErrorCode`, the provider's `error`, or `http_error`, `invalid_response` and `unsupported_setting`. */
  code: SigninErrorCode | (string & {})
  /** The provider's `error_description`, for logs; do not show it to users. */
  description?: string | undefined
  /** The session state sent with the error (OpenID Connect Session Management, section 3). */
  sessionState?: string | undefined
  /** The application's `state` of the request. */
  state?: unknown
  /** The error of a library or the browser. */
  cause?: unknown
}

/**
 * The error of every rejection of this package. `message` is the catalogue's sentence or the provider's error code (RFC
 * 6749, sections 4.1.2.1 and 5.2). Branch on `code`, which is stable.
 */
export class SigninError extends Error {
  declare readonly code: SigninErrorDetails['code']
  declare readonly description: string | undefined
  declare readonly sessionState: string | undefined
  declare readonly state: unknown

  constructor(message: string, { cause, ...details }: SigninErrorDetails) {
    super(message, { cause })
    Object.assign(this, details, { name: 'SigninError' })
  }

  /** Alias of `code`, by its OAuth name. */
  get error(): string {
    return this.code
  }
}

/** Creates one of this client's own errors. */
export const signinError = (code: SigninErrorCode, cause?: unknown): SigninError =>
  new SigninError(messages[code], { code, cause })

/** Converts an error of a library or the browser to a `SigninError`. An aborted `signal` takes precedence. */
export function toSigninError(error: unknown, signal?: AbortSignal): SigninError {
  if (signal?.aborted) return signinError('aborted', signal.reason)
  if (error instanceof SigninError) return error
  const { name, message, code } = error as { name?: string; message?: string; code?: string }
  if (name === 'TimeoutError') return signinError('timeout', error)
  if (code === 'OAUTH_HTTP_REQUEST_FORBIDDEN') return signinError('insecure_address', error)
  if (name === 'QuotaExceededError' || name === 'SecurityError') return signinError('storage_unavailable', error)
  // fetch throws a TypeError without a code; library errors have one.
  if (error instanceof TypeError && code === undefined) return signinError('network_error', error)
  return new SigninError(message ?? String(error), { code: 'invalid_response', cause: error })
}
