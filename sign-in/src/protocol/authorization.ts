import { calculatePKCECodeChallenge, generateRandomCodeVerifier, validateAuthResponse } from 'oauth4webapi'
import { nowInSeconds } from '../clock.ts'
import { SigninError, signinError, toSigninError } from '../errors.ts'
import { checkResponseType, type Metadata, omitUndefined, type RequestParameters, type Settings } from '../settings.ts'
import { type PendingSignIn, parseResponseParameters, type RequestType, randomId } from '../storage/pending-state.ts'
import { secureUrl } from './connection.ts'

/** Per-request additions to the settings, and overrides. */
export interface AuthorizationParameters extends RequestParameters {
  id_token_hint?: string | undefined
  login_hint?: string
  request?: string
  request_uri?: string
  /** Returned to the application with the response; any JSON value. */
  state?: unknown
  skipUserInfo?: boolean
}

/** Request parameters set by the library: where and how the response arrives, and the key that the code is bound to. */
interface AuthorizationTarget {
  request_type: RequestType
  redirect_uri: string
  /** RFC 9449, section 10 */
  dpop_jkt?: string | undefined
}

/** The URL to open, and the state needed to validate the response. */
export interface AuthorizationRequest {
  url: string
  state: PendingSignIn
}

/**
 * Builds an authorization request (OpenID Connect Core, section 3.1.2.1), always with state and nonce, and with PKCE
 * for code.
 */
export async function buildAuthorizationRequest(
  metadata: Metadata,
  settings: Settings,
  parameters: AuthorizationParameters,
  target: AuthorizationTarget,
): Promise<AuthorizationRequest> {
  const request = { ...settings, ...omitUndefined(parameters) }
  checkResponseType(request.response_type)
  const state = createPendingSignIn(request, parameters.state, target)
  const challenge = state.code_verifier && (await calculatePKCECodeChallenge(state.code_verifier))
  const { prompt, display, max_age, ui_locales, id_token_hint, login_hint, acr_values, resource } = request
  const url = withParameters(metadata.authorization_endpoint, {
    client_id: state.client_id,
    redirect_uri: state.redirect_uri,
    response_type: request.response_type,
    scope: state.scope,
    state: state.id,
    nonce: state.nonce,
    code_challenge: challenge,
    code_challenge_method: challenge && 'S256',
    dpop_jkt: target.dpop_jkt,
    ...{ prompt, display, max_age, ui_locales, id_token_hint, login_hint, acr_values, resource },
    request: request.request,
    request_uri: request.request_uri,
    response_mode: state.code_verifier && state.response_mode,
    ...request.extraQueryParams,
  })
  return { url, state }
}

function createPendingSignIn(
  request: Settings & AuthorizationParameters,
  data: unknown,
  { request_type, redirect_uri }: AuthorizationTarget,
): PendingSignIn {
  const isCode = request.response_type === 'code'
  return {
    id: randomId(),
    created: nowInSeconds(),
    request_type,
    authority: request.authority,
    client_id: request.client_id,
    redirect_uri,
    // An ID token must not appear in server logs.
    response_mode: isCode ? (request.response_mode ?? 'query') : 'fragment',
    nonce: randomId(),
    scope: request.scope,
    ...(isCode && { code_verifier: generateRandomCodeVerifier() }),
    ...(data !== undefined && { data }),
    ...(request.extraTokenParams && { extraTokenParams: request.extraTokenParams }),
    ...(request.skipUserInfo && { skipUserInfo: true }),
  }
}

/** Appends the defined parameters to the query of an endpoint. */
export function withParameters(
  endpoint: string | undefined,
  parameters: Record<string, string | number | undefined>,
): string {
  if (!endpoint) throw signinError('no_url')
  const url = secureUrl(endpoint)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.append(name, String(value))
  }
  return url.href
}

/** A successful response; `code` can be exchanged, `idToken` is not verified yet. */
export interface AuthorizationResponse {
  /** Branded by the library as validated. */
  parameters: URLSearchParams
  idToken: string | undefined
  sessionState: string | undefined
}

/**
 * Validates a response against its request: state, authority, client, issuer (RFC 9207), the provider's error (RFC
 * 6749, section 4.1.2.1), and exactly the requested response type.
 */
export function readAuthorizationResponse(
  metadata: Metadata,
  settings: Settings,
  state: PendingSignIn,
  address: string,
): AuthorizationResponse {
  const response = parseResponseParameters(address)[state.response_mode]
  if (!response.has('state')) throw signinError('no_state')
  if (response.get('state') !== state.id) throw signinError('state_mismatch')
  if (!state.client_id) throw signinError('no_client_id_in_state')
  if (state.authority !== settings.authority) throw signinError('authority_mismatch')
  if (state.client_id !== settings.client_id) throw signinError('client_id_mismatch')

  const idToken = response.get('id_token') ?? undefined
  const sessionState = response.get('session_state') ?? undefined
  const parameters = validateResponse(metadata, state, response, sessionState)
  const has = { code: parameters.has('code'), idToken: idToken !== undefined }
  if (state.code_verifier && has.idToken) throw signinError('unexpected_id_token')
  if (state.code_verifier && !has.code) throw signinError('no_code')
  if (!state.code_verifier && has.code) throw signinError('unexpected_code')
  if (!state.code_verifier && !has.idToken) throw signinError('no_id_token')
  return { parameters, idToken, sessionState }
}

/** The library validates only code-flow responses; an ID token is verified later. */
function validateResponse(
  metadata: Metadata,
  state: PendingSignIn,
  response: URLSearchParams,
  sessionState: string | undefined,
) {
  const parameters = new URLSearchParams(response)
  parameters.delete('id_token')
  try {
    return validateAuthResponse(metadata, { client_id: state.client_id }, parameters, state.id)
  } catch (cause) {
    const { error, error_description: description } = cause as { error?: string; error_description?: string }
    if (!error) throw toSigninError(cause)
    throw new SigninError(error, { code: error, description, sessionState, state: state.data, cause })
  }
}

/** Removes the response parameters from a URL, or its fragment if the response came in it. */
export function removeResponse(address: string, { response_mode }: PendingSignIn): string {
  const url = new URL(address)
  if (response_mode === 'fragment') url.hash = ''
  else for (const name of responseParameters) url.searchParams.delete(name)
  return url.href
}

const responseParameters = ['code', 'state', 'session_state', 'iss', 'scope']
