import * as client from 'openid-client'
import { UnusableJson } from '../http/foreign-json.ts'
import { RefusedKey, SignatureFailure } from '../identity-providers/provider-keys.ts'
import { UserInfoFailure, UserInfoMismatch } from '../identity-providers/user-info.ts'

/** The reason of a failed sign-in. Each code has its own page. */
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
  | 'provider-cannot-prove'
  | 'not-invited'
  | 'account-disabled'
  | 'login-unlinked'
  | 'external-account-in-use'
  | 'session-changed'
  | 'tenant-not-enabled'
  | 'tenant-mismatch'
  | 'key-issuer-wrong'
  | 'guest-refused'
  | 'groups-unavailable'

/** A failed sign-in. `message` is for the server log and the audit log; it defaults to the code. */
export class SignInFailure extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, detail = '', options?: ErrorOptions) {
    super(detail || code, options)
    this.name = 'SignInFailure'
    this.code = code
  }
}

/** Maps an error of the protocol library to a failure. Unknown errors are rethrown. */
export function toFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error
  const failWith = (code: FailureCode, detail?: string) =>
    new SignInFailure(code, detail ?? (error as Error).message, { cause: error })
  if (error instanceof client.AuthorizationResponseError) {
    return failWith(
      error.error === 'access_denied' ? 'cancelled' : 'provider-refused',
      `${error.error}: ${error.error_description ?? ''}`,
    )
  }
  if (error instanceof client.ResponseBodyError) {
    const detail = `${error.error}: ${error.error_description ?? ''}`
    return failWith(error.error === 'invalid_grant' ? 'code-refused' : 'provider-misconfigured', detail)
  }
  if (error instanceof RefusedKey) return failWith('key-issuer-wrong')
  if (error instanceof SignatureFailure)
    return failWith(error.isUnreachable ? 'provider-unreachable' : 'answer-invalid')
  if (error instanceof UserInfoMismatch) return failWith('answer-invalid')
  if (error instanceof UserInfoFailure) return failWith('provider-unreachable')
  if (error instanceof UnusableJson) return failWith('answer-invalid', `the answer ${error.message}`)
  if (error instanceof client.WWWAuthenticateChallengeError) return failWith('provider-misconfigured')
  if (error instanceof client.ClientError) return failWith(toFailureCode(error))
  if (listCauses(error).some(isNetworkError)) return failWith('provider-unreachable')
  throw error
}

function toFailureCode(error: client.ClientError): FailureCode {
  const chain = listCauses(error)
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

export interface Cause {
  message?: string
  claim?: string
  /** The value that the claim should have. */
  expected?: unknown
  /** The claims of the rejected ID token. */
  claims?: Record<string, unknown>
  syscall?: string
}

/** Returns an error and its causes, five at most. The last cause may be plain data. */
export function listCauses(error: unknown): Cause[] {
  const chain: Cause[] = []
  for (
    let cause = error as (Cause & { cause?: unknown }) | undefined;
    cause && chain.length < 5;
    cause = cause.cause as typeof cause
  )
    chain.push(cause)
  return chain
}

/** `fetch` reports every network failure with the same TypeError. */
const isNetworkError = (error: Cause): boolean =>
  error.syscall !== undefined || (error instanceof TypeError && error.message === 'fetch failed')
