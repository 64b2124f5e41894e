import * as client from 'openid-client'
import { toInstant } from '../accounts/auth-time.ts'
import { buildAuthorizationUrl, redeemResponse, type VerifiedClaims } from '../identity-providers/authorization.ts'
import { canRetryPlainly, type Prompt } from '../identity-providers/provider-choices.ts'
import { clockSkewSeconds } from '../identity-providers/provider-clients.ts'
import { buildEndSessionRequest, type EndSessionRequest } from '../identity-providers/sign-out.ts'
import { buildCallbackUrl, tenantCallbackId, type Upstream, type Upstreams } from '../identity-providers/upstreams.ts'
import type { Log } from '../log.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import { generateToken } from '../vault.ts'
import type { Claims } from './account.ts'
import { type Attempt, handleOf } from './attempt.ts'
import { SignInFailure, toFailure } from './failure.ts'
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
  | 'link'
  | 'test'
  | 'domain'
  | 'isPlain'
>

/**
 * The `max_age` of sign-ins that are not forced: with it, a provider must send `auth_time` (OpenID Connect Core,
 * section 2). No session is older than a year.
 */
const maxAgeSeconds = 365 * 24 * 60 * 60

/** Parameters of the authorization request. */
interface AuthorizationOptions {
  prompt: Prompt | undefined
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
  const party = await upstreams.connect(upstream).catch((error: unknown) => {
    throw toFailure(error)
  })
  const { url, prompt: sentPrompt } = await buildAuthorizationUrl(party, {
    ...attempt,
    redirectUri: buildCallbackUrl(publicUrl, upstream.tenant ? tenantCallbackId : upstream.id),
    prompt: request.isFresh ? 'login' : prompt,
    loginHint,
    // Microsoft Entra does not document the parameter.
    maxAgeSeconds: upstream.tenant ? undefined : request.isFresh ? 0 : maxAgeSeconds,
  })
  return { attempt: { ...attempt, ...(sentPrompt && { prompt: sentPrompt }) }, authorizationUrl: url.href }
}

/**
 * Starts an attempt again, once, without what the provider may not support, after an error that may be about that.
 * Returns undefined for any other error, which is final. Throws `SignInFailure`.
 */
export async function beginPlainFlow(
  upstreams: Upstreams,
  publicUrl: string,
  { upstream, attempt, error }: { upstream: Upstream; attempt: Attempt; error: unknown },
) {
  const cause = error instanceof SignInFailure ? error.cause : error
  if (!(cause instanceof client.AuthorizationResponseError) || !canRetryPlainly(cause.error, attempt)) return undefined
  const { prompt: _refused, spent: _spent, ...request } = attempt
  return beginFlow(upstreams, publicUrl, { ...request, upstream, isPlain: true }, { prompt: undefined })
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

/** Warns of what is missing at an identity provider, once for each provider. */
export interface ProviderWarnings {
  /** Its users cannot prove a recent authentication. */
  missingAuthTime: (upstream: Upstream) => void
  /** It refuses user info that its ID tokens need. */
  missingUserInfo: (upstream: Upstream, error: Error) => void
}

/** Creates the warnings in the log of the server. */
export function createProviderWarnings(log: Log): ProviderWarnings {
  const warned = new Set<string>()
  const isFirst = (kind: string, { id }: Upstream) => !warned.has(`${kind} ${id}`) && warned.add(`${kind} ${id}`)
  return {
    missingAuthTime: (upstream) => {
      const { id, freshness } = upstream
      if (freshness === 'prompt' || !isFirst('auth_time', upstream)) return
      log.warn(
        { idp: id, setting: 'identityProviders.freshness' },
        `ID tokens of ${id} have no auth_time, so its users cannot confirm a recent sign-in. Configure it to send auth_time, or set "freshness": "prompt" for it if it honours prompt=login.`,
      )
    },
    missingUserInfo: (upstream, { message }) => {
      const { id } = upstream
      if (!isFirst('user-info', upstream)) return
      log.warn(
        { idp: id, message },
        `ID tokens of ${id} lack the name, the email or the username of users, and it refuses to send user info. Configure it to send these claims.`,
      )
    },
  }
}

interface AuthorizationResponse {
  upstream: Upstream
  attempt: Attempt
  /** The callback URL with its parameters. */
  callbackUrl: URL
  warn: ProviderWarnings
  trace: Trace
}

/**
 * Redeems the response of an identity provider. Verifies state, issuer, signature, audience, nonce and times, and that
 * a required forced authentication took place. Throws `SignInFailure`.
 */
export async function finishFlow(
  upstreams: Upstreams,
  { upstream, attempt, callbackUrl, warn, trace }: AuthorizationResponse,
): Promise<Authentication & { claims: VerifiedClaims }> {
  let isTokenVerified = false
  try {
    trace.begin('provider-contacted')
    const party = await upstreams.connect(upstream)
    trace.begin('code-redeemed')
    const { claims, idToken, userInfo } = await redeemResponse(party, {
      ...attempt,
      callbackUrl,
      onIdToken: (claims) => {
        trace.pass('code-redeemed', { received: 'ID token and access token' })
        traceClaims(trace, claims)
        isTokenVerified = true
        trace.begin('user-info-read')
      },
    })
    if (userInfo === 'read') trace.pass('user-info-read')
    else if (userInfo) {
      trace.reject('user-info-read', { message: userInfo.message })
      warn.missingUserInfo(upstream, userInfo)
    }
    trace.begin('claim-checked')
    rejectFuture(claims)
    if (claims.auth_time === undefined) warn.missingAuthTime(upstream)
    const authTime = readAuthTime(claims, upstream, attempt)
    return { claims, authTime, ...readMethods(claims), idToken }
  } catch (error) {
    if (!isTokenVerified) traceFailedClaim(trace, error)
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
function readAuthTime(claims: VerifiedClaims, { freshness }: Upstream, attempt: Attempt): string {
  if (!attempt.isFresh) return toInstant(claims.auth_time)
  // A provider that was not asked for a forced sign-in has proved none.
  const isForced = freshness === 'prompt' && attempt.prompt === 'login'
  if (claims.auth_time === undefined && isForced) return new Date().toISOString()
  rejectStale(claims, attempt)
  return toInstant(claims.auth_time)
}

/**
 * Returns the prompt that the provider should show. The user chooses an account on request, or when already signed in, to
 * switch accounts.
 */
export function findWantedPrompt(prompt: string | null, isSignedIn: boolean): Prompt | undefined {
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

/** Returns the request that ends the session at the provider too; undefined if it has none or is unreachable. */
export async function prepareEndSession(
  upstreams: Upstreams,
  upstream: Upstream,
  idToken: string,
  publicUrl: string,
): Promise<EndSessionRequest | undefined> {
  try {
    return buildEndSessionRequest(await upstreams.connect(upstream), { idToken, returnUrl: `${publicUrl}/app/` })
  } catch {
    // If the provider is unreachable, the user is still signed out of Passport.
    return undefined
  }
}
