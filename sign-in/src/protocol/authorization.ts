import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi'
import { nowInSeconds } from '../clock.ts'
import { SigninError, signinError } from '../errors.ts'
import { checkResponseType, type Metadata, omitEmpty, type RequestParameters, type Settings } from '../settings.ts'
import { type PendingSignIn, parseResponseParameters, type RequestType, randomId } from '../storage/pending-state.ts'
import { parseSecureUrl } from './connection.ts'

/** Per-request additions to the settings, and overrides. */
export interface AuthorizationParameters extends RequestParameters {
  id_token_hint?: string | undefined
  login_hint?: string
  request?: string
  request_uri?: string
  /** Returned to the application with the response; any JSON value. */
  state?: unknown
  /** The same, by the name that takes precedence in `oidc-client`. */
  data?: unknown
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
  const request = { ...settings, ...omitEmpty(parameters) }
  checkResponseType(request.response_type)
  const state = createPendingSignIn(request, parameters.data ?? parameters.state, target)
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
  const url = parseSecureUrl(endpoint)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.append(name, String(value))
  }
  return url.href
}

/** A successful response; `code` can be exchanged, `idToken` is not verified yet. */
export interface AuthorizationResponse {
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
  responseUrl: string,
): AuthorizationResponse {
  const response = parseResponseParameters(responseUrl)[state.response_mode]
  if (!response.has('state')) throw signinError('no_state')
  if (response.get('state') !== state.id) throw signinError('state_mismatch')
  if (!state.client_id) throw signinError('no_client_id_in_state')
  if (state.authority !== settings.authority) throw signinError('authority_mismatch')
  if (state.client_id !== settings.client_id) throw signinError('client_id_mismatch')

  validateResponse(metadata, state, response)
  const idToken = response.get('id_token') ?? undefined
  const isCode = Boolean(state.code_verifier)
  if (isCode && idToken !== undefined) throw signinError('unexpected_id_token')
  if (isCode && !response.get('code')) throw signinError('no_code')
  if (!isCode && response.has('code')) throw signinError('unexpected_code')
  if (!isCode && idToken === undefined) throw signinError('no_id_token')
  return { parameters: response, idToken, sessionState: response.get('session_state') ?? undefined }
}

/** Rejects repeated parameters, another issuer (RFC 9207, section 2.4) and the provider's error. */
function validateResponse(metadata: Metadata, state: PendingSignIn, response: URLSearchParams): void {
  const repeated = responseParameters.find((name) => response.getAll(name).length > 1)
  if (repeated) throw new SigninError(`${repeated} is repeated in the response`, { code: 'invalid_response' })
  const issuer = response.get('iss')
  if (issuer === null ? metadata.authorization_response_iss_parameter_supported : issuer !== metadata.issuer) {
    throw new SigninError('iss of the response does not match the issuer', { code: 'invalid_response' })
  }
  const code = response.get('error')
  if (!code) return
  const description = response.get('error_description') ?? undefined
  const sessionState = response.get('session_state') ?? undefined
  throw new SigninError(code, { code, description, sessionState, state: state.data })
}

/** Removes the response parameters from a URL, or its fragment if the response came in it. */
export function removeResponse(responseUrl: string, { response_mode }: PendingSignIn): string {
  const url = new URL(responseUrl)
  if (response_mode === 'fragment') url.hash = ''
  else for (const name of responseParameters) url.searchParams.delete(name)
  return url.href
}

const responseParameters = ['code', 'state', 'session_state', 'iss', 'scope', 'id_token', 'error']
