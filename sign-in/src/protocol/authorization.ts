import { calculatePKCECodeChallenge, generateRandomCodeVerifier, validateAuthResponse } from 'oauth4webapi'
import { nowInSeconds } from '../clock.ts'
import { SigninError, signinError, signinErrorOf } from '../errors.ts'
import { checkResponseType, type Metadata, type RequestParameters, type Settings, toldIn } from '../settings.ts'
import { type PendingSignIn, parametersOf, type RequestType, randomId } from '../storage/pending-state.ts'
import { secureUrl } from './connection.ts'

/** What one request adds to the settings, or has instead of them. */
export interface AuthorizationParameters extends RequestParameters {
  id_token_hint?: string | undefined
  login_hint?: string
  request?: string
  request_uri?: string
  /** What the application wants back with the answer; anything that JSON can hold. */
  state?: unknown
  skipUserInfo?: boolean
}

/** What the library has to be told besides: where the answer shall arrive, how, and the key that the code is bound to. */
interface AuthorizationTarget {
  request_type: RequestType
  redirect_uri: string
  /** RFC 9449, section 10 */
  dpop_jkt?: string | undefined
}

/** An address to send the browser to, and what must be remembered to judge the answer. */
export interface AuthorizationRequest {
  url: string
  state: PendingSignIn
}

/** Makes an authorization request (OpenID Connect Core, section 3.1.2.1), always with state, nonce and, for code, PKCE. */
export async function authorizationRequest(
  metadata: Metadata,
  settings: Settings,
  given: AuthorizationParameters,
  target: AuthorizationTarget,
): Promise<AuthorizationRequest> {
  const asked = { ...settings, ...toldIn(given) }
  checkResponseType(asked.response_type)
  const state = pendingSignIn(asked, given.state, target)
  const challenge = state.code_verifier && (await calculatePKCECodeChallenge(state.code_verifier))
  const { prompt, display, max_age, ui_locales, id_token_hint, login_hint, acr_values, resource } = asked
  const url = withParameters(metadata.authorization_endpoint, {
    client_id: state.client_id,
    redirect_uri: state.redirect_uri,
    response_type: asked.response_type,
    scope: state.scope,
    state: state.id,
    nonce: state.nonce,
    code_challenge: challenge,
    code_challenge_method: challenge && 'S256',
    dpop_jkt: target.dpop_jkt,
    ...{ prompt, display, max_age, ui_locales, id_token_hint, login_hint, acr_values, resource },
    request: asked.request,
    request_uri: asked.request_uri,
    response_mode: state.code_verifier && state.response_mode,
    ...asked.extraQueryParams,
  })
  return { url, state }
}

function pendingSignIn(
  asked: Settings & AuthorizationParameters,
  data: unknown,
  { request_type, redirect_uri }: AuthorizationTarget,
): PendingSignIn {
  const isCode = asked.response_type === 'code'
  return {
    id: randomId(),
    created: nowInSeconds(),
    request_type,
    authority: asked.authority,
    client_id: asked.client_id,
    redirect_uri,
    // An ID token is never put where servers log it.
    response_mode: isCode ? (asked.response_mode ?? 'query') : 'fragment',
    nonce: randomId(),
    scope: asked.scope,
    ...(isCode && { code_verifier: generateRandomCodeVerifier() }),
    ...(data !== undefined && { data }),
    ...(asked.extraTokenParams && { extraTokenParams: asked.extraTokenParams }),
    ...(asked.skipUserInfo && { skipUserInfo: true }),
  }
}

/** Adds what is not undefined to the query of an endpoint. */
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

/** A good answer; `code` may be exchanged, `idToken` must be verified. */
export interface AuthorizationResponse {
  /** Branded by the library as checked. */
  parameters: URLSearchParams
  idToken: string | undefined
  sessionState: string | undefined
}

/**
 * Judges an answer by the request that it belongs to: state, authority, client, issuer (RFC 9207), the provider's error
 * (RFC 6749, section 4.1.2.1), and that there is what was asked for and nothing else.
 */
export function readAuthorizationResponse(
  metadata: Metadata,
  settings: Settings,
  state: PendingSignIn,
  address: string,
): AuthorizationResponse {
  const told = parametersOf(address)[state.response_mode]
  if (!told.has('state')) throw signinError('no_state')
  if (told.get('state') !== state.id) throw signinError('state_mismatch')
  if (!state.client_id) throw signinError('no_client_id_in_state')
  if (state.authority !== settings.authority) throw signinError('authority_mismatch')
  if (state.client_id !== settings.client_id) throw signinError('client_id_mismatch')

  const idToken = told.get('id_token') ?? undefined
  const sessionState = told.get('session_state') ?? undefined
  const parameters = checked(metadata, state, told, sessionState)
  const has = { code: parameters.has('code'), idToken: idToken !== undefined }
  if (state.code_verifier && has.idToken) throw signinError('unexpected_id_token')
  if (state.code_verifier && !has.code) throw signinError('no_code')
  if (!state.code_verifier && has.code) throw signinError('unexpected_code')
  if (!state.code_verifier && !has.idToken) throw signinError('no_id_token')
  return { parameters, idToken, sessionState }
}

/** The library knows answers of the code flow alone; an ID token is judged by what comes after. */
function checked(metadata: Metadata, state: PendingSignIn, told: URLSearchParams, sessionState: string | undefined) {
  const parameters = new URLSearchParams(told)
  parameters.delete('id_token')
  try {
    return validateAuthResponse(metadata, { client_id: state.client_id }, parameters, state.id)
  } catch (cause) {
    const { error, error_description: description } = cause as { error?: string; error_description?: string }
    if (!error) throw signinErrorOf(cause)
    throw new SigninError(error, { code: error, description, sessionState, state: state.data, cause })
  }
}

/** An address without the parameters of an answer: with the others of its query, and without any fragment it came in. */
export function withoutResponse(address: string, { response_mode }: PendingSignIn): string {
  const url = new URL(address)
  if (response_mode === 'fragment') url.hash = ''
  else for (const name of responseParameters) url.searchParams.delete(name)
  return url.href
}

const responseParameters = ['code', 'state', 'session_state', 'iss', 'scope']
