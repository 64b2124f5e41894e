import * as client from 'openid-client'

/** Why a sign-in did not come about; each has a page of its own. */
export type FailureCode =
  | 'provider-unreachable'
  | 'provider-refused'
  | 'provider-misconfigured'
  | 'cancelled'
  | 'state-unknown'
  | 'attempt-expired'
  | 'answer-replayed'
  | 'code-refused'
  | 'issuer-wrong'
  | 'answer-invalid'
  | 'clock-skew'
  | 'not-fresh'
  | 'not-invited'
  | 'account-disabled'
  | 'external-account-in-use'
  | 'session-changed'

/** A sign-in that did not come about. `told` is what the provider said, for the log and the audit. */
export class SigninFailure extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, told = '', options?: ErrorOptions) {
    super(told || code, options)
    this.name = 'SigninFailure'
    this.code = code
  }
}

/** What an error of the protocol library means for the person. Anything unknown is thrown on. */
export function failureOf(error: unknown): SigninFailure {
  if (error instanceof SigninFailure) return error
  const because = (code: FailureCode, told?: string) =>
    new SigninFailure(code, told ?? (error as Error).message, { cause: error })
  if (error instanceof client.AuthorizationResponseError) {
    return because(
      error.error === 'access_denied' ? 'cancelled' : 'provider-refused',
      `${error.error}: ${error.error_description ?? ''}`,
    )
  }
  if (error instanceof client.ResponseBodyError) {
    const told = `${error.error}: ${error.error_description ?? ''}`
    return because(error.error === 'invalid_grant' ? 'code-refused' : 'provider-misconfigured', told)
  }
  if (error instanceof client.WWWAuthenticateChallengeError) return because('provider-misconfigured')
  if (error instanceof client.ClientError) return because(codeOf(error))
  if (chainOf(error).some(isNetworkError)) return because('provider-unreachable')
  throw error
}

function codeOf(error: client.ClientError): FailureCode {
  const chain = chainOf(error)
  if (chain.some(isNetworkError)) return 'provider-unreachable'
  if (chain.some(({ message }) => message?.includes('"iss"'))) return 'issuer-wrong'
  switch (error.code) {
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return chain.some(({ claim }) => claim === 'auth_time') ? 'not-fresh' : 'clock-skew'
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return 'issuer-wrong'
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
      return 'provider-unreachable'
    default:
      return 'answer-invalid'
  }
}

interface Link {
  message?: string
  claim?: string
  syscall?: string
}

/** An error with its causes, the last of which may be plain data. */
function chainOf(error: unknown): Link[] {
  const chain: Link[] = []
  for (let at = error as (Link & { cause?: unknown }) | undefined; at && chain.length < 5; at = at.cause as typeof at)
    chain.push(at)
  return chain
}

/** `fetch` tells every trouble of the network by the same TypeError. */
const isNetworkError = (error: Link): boolean =>
  error.syscall !== undefined || (error instanceof TypeError && error.message === 'fetch failed')
