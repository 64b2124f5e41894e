/** The codes of errors in responses of the issuer, by the specification that defines them. */
export type OAuthErrorCode =
  // RFC 6749, sections 4.1.2.1 and 5.2.
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  // OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1.
  | 'unsupported_response_mode'
  // RFC 6750, section 3.1.
  | 'invalid_token'
  | 'insufficient_scope'
  // RFC 7009, section 2.2.1.
  | 'unsupported_token_type'
  // RFC 8628, section 3.5.
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  // RFC 8707, section 2.
  | 'invalid_target'
  // RFC 9449, section 5.
  | 'invalid_dpop_proof'
  // OpenID Connect Core, section 3.1.2.6.
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'account_selection_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  // RFC 9101, section 6.2.
  | 'invalid_request_uri'
  // Ours, on a page: the URI is not one of the client, so the client gets no response.
  | 'invalid_redirect_uri'

const statuses: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  server_error: 500,
  temporarily_unavailable: 503,
}

interface OAuthErrorOptions {
  /** More about the cause, for the trace of the sign-in and the log. */
  detail?: string
  /** Further members of the response, such as `scope`. */
  members?: Record<string, string>
  headers?: Record<string, string>
}

/** A refusal with its code and a sentence for the developer of the application (RFC 6749, section 5.2). */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  /** The HTTP status of a response that is no redirect. */
  readonly status: number
  readonly detail: string | undefined
  readonly members: Record<string, string>
  readonly headers: Record<string, string>

  constructor(
    code: OAuthErrorCode,
    description: string,
    { detail, members = {}, headers = {} }: OAuthErrorOptions = {},
  ) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.status = statuses[code] ?? 400
    this.detail = detail
    this.members = members
    this.headers = headers
  }

  /** Returns the parameters of the response. */
  toParameters(): { error: OAuthErrorCode; error_description: string; [member: string]: string } {
    return { error: this.code, error_description: toDescription(this.message), ...this.members }
  }
}

/** Replaces the characters that a description must not have (RFC 6749, appendix A.8). */
const toDescription = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
