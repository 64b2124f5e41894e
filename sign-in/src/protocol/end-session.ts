import { nowInSeconds } from '../clock.ts'
import { SigninError, signinError } from '../errors.ts'
import { type Metadata, type Settings, toldIn } from '../settings.ts'
import { type PendingState, type RequestType, randomId } from '../storage/pending-state.ts'
import type { Destination } from '../windows/redirect.ts'
import { withParameters } from './authorization.ts'

/** What one sign-out adds to the settings. */
export interface EndSessionParameters {
  id_token_hint?: string | undefined
  post_logout_redirect_uri?: string | undefined
  extraQueryParams?: Record<string, string>
  /** What the application wants back; only with an address to come back to. */
  state?: unknown
}

/** Makes an end-session request (OpenID Connect RP-Initiated Logout 1.0, section 2), for GET or POST as the settings say. */
export function endSessionRequest(
  { end_session_endpoint }: Metadata,
  { client_id, extraQueryParams, postLogout }: Settings,
  given: EndSessionParameters,
  request_type: RequestType,
): Destination & { state: PendingState | undefined } {
  if (!end_session_endpoint) throw signinError('no_end_session_endpoint')
  const { id_token_hint, post_logout_redirect_uri, state: data } = given
  const state =
    data && post_logout_redirect_uri ? { id: randomId(), created: nowInSeconds(), request_type, data } : undefined
  const parameters = {
    id_token_hint,
    client_id,
    post_logout_redirect_uri,
    state: state?.id,
    ...extraQueryParams,
    ...given.extraQueryParams,
  }
  return postLogout === 'form'
    ? { url: withParameters(end_session_endpoint, {}), form: toldIn(parameters) as Record<string, string>, state }
    : { url: withParameters(end_session_endpoint, parameters), state }
}

/** What came back after a sign-out. */
export interface EndSessionResponse {
  /** What the application handed over. */
  state: unknown
}

/** Judges what came back; `state` is what waited for it, if anything did. */
export function readEndSessionResponse(address: string, state: PendingState | undefined): EndSessionResponse {
  const query = new URL(address).searchParams
  const error = query.get('error')
  if (error) {
    const description = query.get('error_description') ?? undefined
    throw new SigninError(error, { code: error, description, state: state?.data })
  }
  if (state && state.id !== query.get('state')) throw signinError('state_mismatch')
  return { state: state?.data }
}
