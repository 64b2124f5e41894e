import * as client from 'openid-client'
import { toInstant } from '../accounts/auth-time.ts'
import { buildCallbackUrl, clockSkewSeconds, type Upstream, type Upstreams } from '../identity-providers/upstreams.ts'
import type { Log } from '../log.ts'
import { randomToken } from '../vault.ts'
import type { Claims } from './account.ts'
import type { Attempt } from './attempt.ts'
import { SignInFailure, toFailure } from './failure.ts'

/** The purpose of a sign-in attempt, and the next step. */
export type SignInRequest = Pick<
  Attempt,
  'idp' | 'returnTo' | 'isFresh' | 'interaction' | 'clientOrigin' | 'clientName' | 'link'
>

/**
 * With `max_age` a provider must send `auth_time` (OpenID Connect Core, section 2); no session is older than a year.
 */
const maxAgeSeconds = 365 * 24 * 60 * 60

/** Parameters of the authorization request. */
interface AuthorizationOptions {
  prompt: 'select_account' | undefined
  /** The user that the application expects, for the provider to prefill. */
  loginHint?: string | undefined
}

/**
 * Starts an authorization code flow with PKCE, state and nonce at an identity provider: returns the attempt to
 * remember, and the redirect address. Throws `SignInFailure`.
 */
export async function beginFlow(
  upstreams: Upstreams,
  publicUrl: string,
  request: SignInRequest,
  { prompt, loginHint }: AuthorizationOptions,
) {
  const attempt: Attempt = {
    ...request,
    state: randomToken(),
    nonce: randomToken(),
    codeVerifier: client.randomPKCECodeVerifier(),
    startedAt: Date.now(),
  }
  const configuration = await upstreams.connect(request.idp).catch((error: unknown) => {
    throw toFailure(error)
  })
  const authorizationUrl = client.buildAuthorizationUrl(configuration, {
    redirect_uri: buildCallbackUrl(publicUrl, request.idp),
    scope: 'openid profile email',
    response_mode: 'query',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: 'S256',
    max_age: String(maxAgeSeconds),
    ...(prompt && { prompt }),
    ...(loginHint && { login_hint: loginHint }),
    ...(request.isFresh && { prompt: 'login', max_age: '0' }),
  })
  return { attempt, address: authorizationUrl.href }
}

/** The verified identity, with the time of its authentication. */
export interface Authentication {
  claims: Claims
  /** ISO 8601. Without `auth_time`: the end of a forced sign-in if `freshness` is `prompt`, otherwise 1970. */
  authTime: string
  amr: string[]
  idToken: string
}

/** Called for each ID token without `auth_time`. */
export type AuthTimeWarning = (upstream: Upstream) => void

/** Warns once for each provider whose users cannot prove a recent authentication. */
export function createAuthTimeWarning(log: Log): AuthTimeWarning {
  const warned = new Set<string>()
  return ({ id, freshness }) => {
    if (freshness === 'prompt' || warned.has(id)) return
    warned.add(id)
    log.warn(
      { idp: id, setting: 'identityProviders.freshness' },
      `ID tokens of ${id} have no auth_time, so its users cannot confirm a recent sign-in. Configure it to send auth_time, or set "freshness": "prompt" for it if it honours prompt=login.`,
    )
  }
}

interface AuthorizationResponse {
  upstream: Upstream
  attempt: Attempt
  /** The callback URL with its parameters. */
  callbackUrl: URL
  warn: AuthTimeWarning
}

/**
 * Redeems the response of an identity provider: checks state, issuer, signature, audience, nonce and times, and whether
 * a required forced authentication took place. Throws `SignInFailure`.
 */
export async function finishFlow(
  upstreams: Upstreams,
  { upstream, attempt, callbackUrl, warn }: AuthorizationResponse,
): Promise<Authentication> {
  try {
    const configuration = await upstreams.connect(attempt.idp)
    const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || !tokens.id_token) throw new SignInFailure('answer-invalid', 'no ID token')
    rejectFuture(claims)
    if (claims.auth_time === undefined) warn(upstream)
    const amr = Array.isArray(claims['amr']) ? claims['amr'].filter((method) => typeof method === 'string') : []
    return { claims, authTime: readAuthTime(claims, upstream, attempt), amr, idToken: tokens.id_token }
  } catch (error) {
    throw toFailure(error)
  }
}

/**
 * Returns the time of authentication, ISO 8601. Throws `SignInFailure` if it had to be forced and this is not proved.
 */
function readAuthTime(claims: client.IDToken, { freshness }: Upstream, attempt: Attempt): string {
  if (!attempt.isFresh) return toInstant(claims.auth_time)
  if (claims.auth_time === undefined && freshness === 'prompt') return new Date().toISOString()
  rejectStale(claims, attempt)
  return toInstant(claims.auth_time)
}

/**
 * Reports whether the user must choose an account: on request, or because they are signed in already and want to
 * switch.
 */
export function choosePrompt(prompt: string | null, isSignedIn: boolean): AuthorizationOptions['prompt'] {
  return prompt === 'select_account' || (isSignedIn && prompt !== 'login') ? 'select_account' : undefined
}

/** The library checks only the expiry of a token. */
function rejectFuture({ iat, auth_time = 0 }: client.IDToken) {
  const latest = Date.now() / 1000 + clockSkewSeconds
  if (iat > latest || auth_time > latest) throw new SignInFailure('clock-skew', 'the ID token was issued in the future')
}

/** The library's own check of `max_age` accepts authentications that are older by the clock tolerance. */
function rejectStale({ auth_time }: client.IDToken, { startedAt }: Attempt) {
  if (auth_time === undefined) throw new SignInFailure('provider-cannot-prove', 'the ID token has no auth_time')
  if (auth_time < Math.floor(startedAt / 1000))
    throw new SignInFailure('not-fresh', 'the authentication is older than the request')
}

/** Returns the URL to sign out of the provider too, if it has one. */
export async function buildEndSessionUrl(
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
    // If it is unreachable, the user is still signed out here.
    return null
  }
}
