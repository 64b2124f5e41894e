import * as client from 'openid-client'
import { callbackAddress, clockSkewSeconds, type Upstream, type Upstreams } from '../identity-providers/upstreams.ts'
import { instantOf } from '../sessions/auth-time.ts'
import { randomToken } from '../vault.ts'
import type { Attempt } from './attempt.ts'
import { failureOf, SigninFailure } from './failure.ts'
import type { Claims } from './person.ts'

/** Why someone is sent to an identity provider, and what to do when they are back. */
export type Errand = Pick<Attempt, 'idp' | 'returnTo' | 'isFresh' | 'interaction' | 'clientOrigin' | 'link'>

/** Asks the provider to let the person choose an account, even where it knows one. */
interface Asking {
  prompt: 'select_account' | undefined
  /** Whom the application expects, for the provider to name. */
  loginHint?: string | undefined
}

/**
 * Begins an authorization code flow with PKCE, state and nonce at an identity provider: what to remember, and where to
 * send the person. Throws `SigninFailure`.
 */
export async function beginFlow(
  upstreams: Upstreams,
  publicUrl: string,
  errand: Errand,
  { prompt, loginHint }: Asking,
) {
  const attempt: Attempt = {
    ...errand,
    state: randomToken(),
    nonce: randomToken(),
    codeVerifier: client.randomPKCECodeVerifier(),
    startedAt: Date.now(),
  }
  const configuration = await upstreams.connect(errand.idp).catch((error: unknown) => {
    throw failureOf(error)
  })
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackAddress(publicUrl, errand.idp),
    scope: 'openid profile email',
    response_mode: 'query',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
    ...(loginHint && { login_hint: loginHint }),
    ...(errand.isFresh && { prompt: 'login', max_age: '0' }),
  })
  return { attempt, address: address.href }
}

/** Who the provider says it is, and since when it knows. */
export interface Authentication {
  claims: Claims
  /** ISO 8601; 1970 where it does not tell. */
  authTime: string
  amr: string[]
  idToken: string
}

/**
 * Redeems the answer of an identity provider: checks state, issuer, signature, audience, nonce and times, and where a
 * fresh authentication was asked for, that it was one. Throws `SigninFailure`.
 */
export async function finishFlow(upstreams: Upstreams, attempt: Attempt, answer: URL): Promise<Authentication> {
  try {
    const configuration = await upstreams.connect(attempt.idp)
    const tokens = await client.authorizationCodeGrant(configuration, answer, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || !tokens.id_token) throw new SigninFailure('answer-invalid', 'no ID token')
    refuseFuture(claims)
    if (attempt.isFresh) refuseStale(claims, attempt)
    const amr = Array.isArray(claims['amr']) ? claims['amr'].filter((method) => typeof method === 'string') : []
    return { claims, authTime: instantOf(claims.auth_time), amr, idToken: tokens.id_token }
  } catch (error) {
    throw failureOf(error)
  }
}

/** Whether the person must choose: they asked to, or they are here already and came to be someone else. */
export function promptFor(asked: string | null, isSignedIn: boolean): Asking['prompt'] {
  return asked === 'select_account' || (isSignedIn && asked !== 'login') ? 'select_account' : undefined
}

/** The library minds only the end of a token's life. */
function refuseFuture({ iat, auth_time = 0 }: client.IDToken) {
  const latest = Date.now() / 1000 + clockSkewSeconds
  if (iat > latest || auth_time > latest) throw new SigninFailure('clock-skew', 'the ID token is of the future')
}

/** The library's own check of `max_age` lets one pass that is older by the tolerance for clocks. */
function refuseStale({ auth_time }: client.IDToken, { startedAt }: Attempt) {
  if (auth_time === undefined) throw new SigninFailure('not-fresh', 'the provider does not tell when')
  if (auth_time < Math.floor(startedAt / 1000))
    throw new SigninFailure('not-fresh', 'the authentication is older than the request')
}

/** The address by which to sign out of the provider too, where it offers one. */
export async function endSessionAddress(
  upstreams: Upstreams,
  upstream: Upstream,
  idToken: string,
  publicUrl: string,
): Promise<string | null> {
  try {
    const configuration = await upstreams.connect(upstream.id)
    if (!configuration.serverMetadata().end_session_endpoint) return null
    const parameters = { id_token_hint: idToken, post_logout_redirect_uri: `${publicUrl}/app/` }
    return client.buildEndSessionUrl(configuration, parameters).href
  } catch {
    // Out of reach: the person is signed out here all the same.
    return null
  }
}
