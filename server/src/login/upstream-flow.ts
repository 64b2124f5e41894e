import * as client from 'openid-client'
import { toInstant } from '../accounts/auth-time.ts'
import { requireStorable } from '../http/foreign-json.ts'
import { clockSkewSeconds } from '../identity-providers/provider-clients.ts'
import { buildCallbackUrl, tenantCallbackId, type Upstream, type Upstreams } from '../identity-providers/upstreams.ts'
import type { Log } from '../log.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import { generateToken } from '../vault.ts'
import type { Claims } from './account.ts'
import { type Attempt, handleOf } from './attempt.ts'
import { SignInFailure, toFailure } from './failure.ts'
import { verifySignature } from './tenant-signature.ts'
import { traceClaims, traceFailedClaim } from './trace-claims.ts'

/** A sign-in to start: the provider, the purpose and the destination. */
export type SignInRequest = Pick<
  Attempt,
  | 'idp'
  | 'returnTo'
  | 'isFresh'
  | 'interaction'
  | 'clientId'
  | 'clientOrigin'
  | 'clientName'
  | 'continuesRequest'
  | 'link'
  | 'test'
  | 'domain'
>

/**
 * The `max_age` of sign-ins that are not forced: with it, a provider must send `auth_time` (OpenID Connect Core,
 * section 2). No session is older than a year.
 */
const maxAgeSeconds = 365 * 24 * 60 * 60

/** Parameters of the authorization request. */
interface AuthorizationOptions {
  prompt: 'select_account' | undefined
  /** The name to prefill in the provider's form. */
  loginHint?: string | undefined
}

/**
 * Starts an authorization code flow with PKCE, state and nonce at an identity provider, or a sign-in at the form of the
 * built-in directory. Returns the attempt to store and the URL to redirect to. Throws `SignInFailure`.
 */
export async function beginFlow(
  upstreams: Upstreams,
  publicUrl: string,
  { upstream, ...request }: Omit<SignInRequest, 'idp'> & { upstream: Upstream },
  { prompt, loginHint }: AuthorizationOptions,
) {
  const attempt: Attempt = {
    ...request,
    idp: upstream.id,
    state: generateToken(),
    nonce: generateToken(),
    codeVerifier: client.randomPKCECodeVerifier(),
    startedAt: Date.now(),
  }
  if (upstream.kind === 'local') return beginAtDirectory(publicUrl, attempt, loginHint)
  const configuration = await upstreams.connect(upstream).catch((error: unknown) => {
    throw toFailure(error)
  })
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: buildCallbackUrl(publicUrl, upstream.tenant ? tenantCallbackId : upstream.id),
    scope: 'openid profile email',
    response_mode: 'query',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
    ...(loginHint && { login_hint: loginHint }),
    ...(request.isFresh && { prompt: 'login' }),
    // Microsoft Entra does not document the parameter.
    ...(!upstream.tenant && { max_age: request.isFresh ? '0' : String(maxAgeSeconds) }),
  })
  return { attempt, authorizationUrl: url.href }
}

/** Starts a sign-in at the built-in directory, which has no code to protect and no ID token. */
function beginAtDirectory(publicUrl: string, started: Attempt, loginHint: string | undefined) {
  const attempt: Attempt = { ...started, nonce: '', codeVerifier: '', ...(loginHint && { loginHint }) }
  return { attempt, authorizationUrl: `${publicUrl}/idp/login/${handleOf(attempt)}` }
}

/** The verified identity, with the time of its authentication. */
export interface Authentication {
  claims: Claims
  /** ISO 8601. Without `auth_time`: the end of a forced sign-in if `freshness` is `prompt`, otherwise 1970. */
  authTime: string
  amr: string[]
  acr: string | null
  /** Null for the built-in directory, which has no session of its own to end. */
  idToken: string | null
}

/** Called for each ID token without `auth_time`. */
export type AuthTimeWarning = (upstream: Upstream) => void

/** Creates a function that warns once for each provider whose users cannot prove a recent authentication. */
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
  trace: Trace
}

/**
 * Redeems the response of an identity provider. Verifies state, issuer, signature, audience, nonce and times, and that
 * a required forced authentication took place. Throws `SignInFailure`.
 */
export async function finishFlow(
  upstreams: Upstreams,
  { upstream, attempt, callbackUrl, warn, trace }: AuthorizationResponse,
): Promise<Authentication & { claims: client.IDToken }> {
  try {
    trace.begin('provider-contacted')
    const configuration = await upstreams.connect(upstream)
    trace.begin('code-redeemed')
    const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    })
    const claims = requireStorable(tokens.claims())
    if (!claims || !tokens.id_token) throw new SignInFailure('answer-invalid', 'no ID token')
    trace.pass('code-redeemed', { received: 'ID token and access token' })
    traceClaims(trace, claims)
    if (upstream.tenant) await verifySignature(configuration, upstream.tenant.id, tokens.id_token)
    trace.begin('claim-checked')
    rejectFuture(claims)
    if (claims.auth_time === undefined) warn(upstream)
    const authTime = readAuthTime(claims, upstream, attempt)
    return { claims, authTime, ...readMethods(claims), idToken: tokens.id_token }
  } catch (error) {
    traceFailedClaim(trace, error)
    throw toFailure(error)
  }
}

/** The most characters of a stored `acr`. */
const maxAcrLength = 256

/** Returns how the user authenticated, as far as the provider states it (OpenID Connect Core, section 2). */
function readMethods({ amr, acr }: client.IDToken): Pick<Authentication, 'amr' | 'acr'> {
  return {
    amr: Array.isArray(amr) ? (amr as unknown[]).filter(isText) : [],
    acr: isText(acr) && acr !== '' && acr.length <= maxAcrLength ? acr : null,
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * Returns the time of authentication, ISO 8601. Throws `SignInFailure` if a forced authentication was required and is
 * not proved.
 */
function readAuthTime(claims: client.IDToken, { freshness }: Upstream, attempt: Attempt): string {
  if (!attempt.isFresh) return toInstant(claims.auth_time)
  if (claims.auth_time === undefined && freshness === 'prompt') return new Date().toISOString()
  rejectStale(claims, attempt)
  return toInstant(claims.auth_time)
}

/**
 * Returns the prompt for the provider. The user chooses an account on request, or when already signed in, to switch
 * accounts.
 */
export function choosePrompt(prompt: string | null, isSignedIn: boolean): AuthorizationOptions['prompt'] {
  return prompt === 'select_account' || (isSignedIn && prompt !== 'login') ? 'select_account' : undefined
}

/** Throws for an ID token from the future: the library checks only the expiry. */
function rejectFuture({ iat, auth_time = 0 }: client.IDToken) {
  const latest = Date.now() / 1000 + clockSkewSeconds
  if (iat > latest || auth_time > latest) throw new SignInFailure('clock-skew', 'the ID token was issued in the future')
}

/**
 * Throws if the user authenticated before the attempt started. The library's own check of `max_age` tolerates clock
 * skew.
 */
function rejectStale({ auth_time }: client.IDToken, { startedAt }: Attempt) {
  if (auth_time === undefined) throw new SignInFailure('provider-cannot-prove', 'the ID token has no auth_time')
  if (auth_time < Math.floor(startedAt / 1000))
    throw new SignInFailure('not-fresh', 'the authentication is older than the request')
}

/** Returns the URL that signs the user out of the provider too; null if the provider has none or is unreachable. */
export async function buildEndSessionUrl(
  upstreams: Upstreams,
  upstream: Upstream,
  idToken: string,
  publicUrl: string,
): Promise<string | null> {
  try {
    const configuration = await upstreams.connect(upstream)
    if (!configuration.serverMetadata().end_session_endpoint) return null
    const parameters = { id_token_hint: idToken, post_logout_redirect_uri: `${publicUrl}/app/` }
    return client.buildEndSessionUrl(configuration, parameters).href
  } catch {
    // If the provider is unreachable, the user is still signed out of Passport.
    return null
  }
}
