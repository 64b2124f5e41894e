import * as client from 'openid-client'
import { requireStorable } from '../http/foreign-json.ts'
import { choosePrompt, chooseScopes, normalizeClaims, type Prompt, type UserClaims } from './provider-choices.ts'
import type { RelyingParty } from './provider-clients.ts'
import { verifyJwtSignature } from './provider-keys.ts'
import { addUserInfo, type UserInfoFailure } from './user-info.ts'

/** An authorization request with state, nonce and PKCE (OpenID Connect Core, section 3.1.2.1). */
interface AuthorizationRequest {
  redirectUri: string
  state: string
  nonce: string
  codeVerifier: string
  prompt?: Prompt | undefined
  /** Without what the provider may have rejected. */
  isPlain?: boolean | undefined
  loginHint?: string | undefined
  maxAgeSeconds?: number | undefined
}

/** Returns the URL of an authorization request, and the prompt that it has. */
export async function buildAuthorizationUrl(
  { configuration, metadata }: RelyingParty,
  { redirectUri, state, nonce, codeVerifier, loginHint, maxAgeSeconds, isPlain, ...request }: AuthorizationRequest,
): Promise<{ url: URL; prompt: Prompt | undefined }> {
  const prompt = choosePrompt(metadata, request.prompt, { isPlain })
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: chooseScopes(metadata, { isPlain }),
    response_mode: 'query',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
    ...(loginHint && { login_hint: loginHint }),
    ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
  })
  return { url, prompt }
}

/** A response to an authorization request. */
interface AuthorizationResponse extends Pick<AuthorizationRequest, 'state' | 'nonce' | 'codeVerifier'> {
  /** The redirect URI with the parameters of the response. */
  callbackUrl: URL
  /** Called with the claims of the ID token, once they are verified. */
  onIdToken?: (claims: client.IDToken) => void
}

/** The verified claims of an ID token, with those of user info. */
export type VerifiedClaims = client.IDToken & UserClaims

export interface Redeemed {
  claims: VerifiedClaims
  idToken: string
  /** `read`, or why it was not read; undefined if it was not needed. */
  userInfo: 'read' | UserInfoFailure | undefined
}

/**
 * Redeems the code of a response. Verifies state, issuer, audience, nonce, expiry and signature, and reads user info if
 * the ID token lacks claims. Throws the errors of the protocol library, of the HTTP client and of `verifyWith`.
 */
export async function redeemResponse(
  party: RelyingParty,
  { callbackUrl, state, nonce, codeVerifier, onIdToken }: AuthorizationResponse,
): Promise<Redeemed> {
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true }
  const redeem = ({ configuration }: RelyingParty) => client.authorizationCodeGrant(configuration, callbackUrl, checks)
  try {
    const tokens = await redeem(party).catch(async (error: unknown) => {
      const renewed = isClientRejection(error) ? await renew(party) : undefined
      if (!renewed) throw error
      return redeem(renewed)
    })
    const claims = requireStorable(tokens.claims())
    if (!claims || !tokens.id_token) throw new client.ClientError('the response has no ID token')
    // The library trusts the connection to the token endpoint.
    await verifyJwtSignature(party.keys, tokens.id_token)
    onIdToken?.(claims)
    const completed = await addUserInfo(party, tokens.access_token, claims)
    return { ...completed, claims: normalizeClaims(completed.claims), idToken: tokens.id_token }
  } catch (error) {
    if (!(error instanceof client.AuthorizationResponseError)) party.forget()
    throw error
  }
}

const isClientRejection = (error: unknown) =>
  error instanceof client.WWWAuthenticateChallengeError ||
  (error instanceof client.ResponseBodyError && error.error === 'invalid_client')

/** Reads the metadata again; undefined unless it has another client authentication now, which leaves the code unspent. */
async function renew(party: RelyingParty): Promise<RelyingParty | undefined> {
  party.forget()
  const renewed = await party.reconnect().catch(() => party)
  return renewed.authMethod === party.authMethod ? undefined : renewed
}
