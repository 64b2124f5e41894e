import { authorizationCodeGrantRequest, refreshTokenGrantRequest } from 'oauth4webapi'
import { nowInSeconds } from '../clock.ts'
import { SigninError, signinError } from '../errors.ts'
import type { PendingSignIn } from '../storage/pending-state.ts'
import { type Connection, failureOf, publicClient } from './connection.ts'

/** A successful answer of the token endpoint (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3). */
export interface TokenResponse {
  access_token: string
  /** As the provider spells it. */
  token_type?: string
  /** When the access token expires, s since 1970: the time that is told is counted from when the answer came. */
  expires_at?: number
  refresh_token?: string
  id_token?: string
  scope?: string
  session_state?: string
}

/** Exchanges a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5). */
export function codeRequest(
  { server, client, options }: Connection,
  parameters: URLSearchParams,
  state: PendingSignIn,
): Promise<Response> {
  const { redirect_uri, code_verifier = '', extraTokenParams = {} } = state
  return authorizationCodeGrantRequest(server, client, publicClient, parameters, redirect_uri, code_verifier, {
    ...options,
    additionalParameters: extraTokenParams,
  })
}

/** Asks for new tokens by a refresh token (RFC 6749, section 6), for the same scope. */
export function refreshRequest(
  { server, client, options }: Connection,
  refreshToken: string,
  extraTokenParams: Record<string, string> = {},
): Promise<Response> {
  return refreshTokenGrantRequest(server, client, publicClient, refreshToken, {
    ...options,
    additionalParameters: extraTokenParams,
  })
}

/**
 * Judges the answer to both; the ID token in it is not verified yet. Rejects with the provider's error, with
 * `no_token_response`, `no_access_token`, or `invalid_response`.
 */
export async function readTokenResponse(response: Response): Promise<TokenResponse> {
  if (response.status !== 200) throw await failureOf(response)
  const arrivedAt = nowInSeconds()
  const text = await response.text()
  const body = text && parseBody(text)
  if (!body) throw signinError('no_token_response')
  const { access_token, token_type, expires_in, refresh_token, id_token, scope, session_state } = body
  if (!isText(access_token)) throw signinError('no_access_token')
  if (token_type !== undefined && !/^(?:bearer|dpop)$/i.test(String(token_type))) {
    throw new SigninError('The token_type is not known', { code: 'invalid_response', cause: token_type })
  }
  return {
    access_token,
    ...(token_type !== undefined && { token_type: String(token_type) }),
    ...(Number(expires_in) > 0 && { expires_at: arrivedAt + Number(expires_in) }),
    ...(isText(refresh_token) && { refresh_token }),
    ...(isText(id_token) && { id_token }),
    ...(isText(scope) && { scope }),
    ...(isText(session_state) && { session_state }),
  }
}

function parseBody(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SigninError('The answer of the token endpoint is not JSON', { code: 'invalid_response', cause })
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
