import { nowInSeconds } from '../clock.ts'
import { SigninError, signinError } from '../errors.ts'
import { type Metadata, omitEmpty, type Settings } from '../settings.ts'
import { type PendingState, type RequestType, randomId } from '../storage/pending-state.ts'
import type { Destination } from '../windows/redirect.ts'
import { withParameters } from './authorization.ts'

/** Per-request additions to the settings. */
export interface EndSessionParameters {
  id_token_hint?: string | undefined
  post_logout_redirect_uri?: string | undefined
  extraQueryParams?: Record<string, string>
  /** Returned to the application with the response; requires a return URL. */
  state?: unknown
  /** The same, by the name that takes precedence in `oidc-client`. */
  data?: unknown
}

/** Builds an end-session request (OpenID Connect RP-Initiated Logout 1.0, section 2), as GET or POST by setting. */
export function buildEndSessionRequest(
  { end_session_endpoint }: Metadata,
  { authority, client_id, extraQueryParams, postLogout }: Settings,
  options: EndSessionParameters,
  request_type: RequestType,
): Destination & { state: PendingState | undefined } {
  if (!end_session_endpoint) throw signinError('no_end_session_endpoint')
  const { id_token_hint, post_logout_redirect_uri } = options
  const data = options.data ?? options.state
  const state =
    data && post_logout_redirect_uri
      ? { id: randomId(), created: nowInSeconds(), request_type, authority, client_id, data }
      : undefined
  const parameters: Record<string, string> = {
    ...omitEmpty({ id_token_hint, client_id, post_logout_redirect_uri, state: state?.id }),
    ...(options.extraQueryParams ?? extraQueryParams),
  }
  return postLogout === 'form'
    ? { url: withParameters(end_session_endpoint, {}), form: parameters, state }
    : { url: withParameters(end_session_endpoint, parameters), state }
}

/** The response to a sign-out. */
export interface EndSessionResponse {
  /** The application's `state` of the request. */
  state: unknown
}

/** Validates a response; `state` is its pending request, if any. */
export function readEndSessionResponse(responseUrl: string, state: PendingState | undefined): EndSessionResponse {
  const query = new URL(responseUrl).searchParams
  const error = query.get('error')
  if (error) {
    const description = query.get('error_description') ?? undefined
    throw new SigninError(error, { code: error, description, state: state?.data })
  }
  if (state && state.id !== query.get('state')) throw signinError('state_mismatch')
  return { state: state?.data }
}
