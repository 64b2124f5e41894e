import { genericTokenEndpointRequest } from 'oauth4webapi'
import { nowInSeconds } from '../clock.ts'
import { SigninError, signinError } from '../errors.ts'
import type { PendingSignIn } from '../storage/pending-state.ts'
import { type Connection, publicClient, readErrorResponse } from './connection.ts'

/** A successful response from the token endpoint (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3). */
export interface TokenResponse {
  access_token: string
  /** As sent by the provider; the letter case varies. */
  token_type?: string
  /** When the access token expires, in Unix seconds, computed from the time the response arrived. */
  expires_at?: number
  refresh_token?: string
  id_token?: string
  scope?: string
  session_state?: string
}

/** Exchanges a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5). */
export const sendCodeRequest = (
  connection: Connection,
  parameters: URLSearchParams,
  { redirect_uri, code_verifier = '', extraTokenParams }: PendingSignIn,
): Promise<Response> =>
  sendTokenRequest(connection, 'authorization_code', {
    ...extraTokenParams,
    redirect_uri,
    code_verifier,
    code: parameters.get('code') ?? '',
  })

/** Requests new tokens with a refresh token (RFC 6749, section 6), for the same scope unless `parameters` has one. */
export const sendRefreshRequest = (
  connection: Connection,
  refresh_token: string,
  parameters: Record<string, string> = {},
): Promise<Response> => sendTokenRequest(connection, 'refresh_token', { ...parameters, refresh_token })

const sendTokenRequest = (
  { server, client, options }: Connection,
  grantType: string,
  parameters: Record<string, string>,
): Promise<Response> => genericTokenEndpointRequest(server, client, publicClient, grantType, parameters, options)

/**
 * Reads the response to a code exchange or a refresh. The ID token is not verified yet. Rejects with the provider's
 * error, `no_token_response`, `no_access_token` or `invalid_response`.
 */
export async function readTokenResponse(response: Response): Promise<TokenResponse> {
  if (response.status !== 200) throw await readErrorResponse(response)
  const arrivedAt = nowInSeconds()
  const text = await response.text()
  const body = text && parseBody(text)
  if (!body) throw signinError('no_token_response')
  const { access_token, token_type, expires_in, refresh_token, id_token, scope, session_state } = body
  if (!isNonEmptyString(access_token)) throw signinError('no_access_token')
  if (token_type !== undefined && !/^(?:bearer|dpop)$/i.test(String(token_type))) {
    throw new SigninError('Unsupported token_type', { code: 'invalid_response', cause: token_type })
  }
  return {
    access_token,
    ...(token_type !== undefined && { token_type: String(token_type) }),
    ...(Number(expires_in) > 0 && { expires_at: arrivedAt + Number(expires_in) }),
    ...(isNonEmptyString(refresh_token) && { refresh_token }),
    ...(isNonEmptyString(id_token) && { id_token }),
    ...(isNonEmptyString(scope) && { scope }),
    ...(isNonEmptyString(session_state) && { session_state }),
  }
}

function parseBody(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SigninError('The token endpoint did not return JSON', { code: 'invalid_response', cause })
  }
}

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''
