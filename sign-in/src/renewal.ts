import type { Context } from './context.ts'
import { type SigninError, toSigninError } from './errors.ts'
import { exchange } from './protocol/connection.ts'
import { deriveExpectedIdToken, readUnverifiedClaims, verifyIdToken } from './protocol/id-token.ts'
import { readTokenResponse, sendRefreshRequest } from './protocol/token.ts'
import { omitEmpty } from './settings.ts'
import { type SilentRequestOptions, signinInFrame } from './sign-in.ts'
import { User } from './user.ts'

/**
 * Options of one silent sign-in. With a refresh token only `scope`, `resource` and `extraTokenParams` apply, and
 * `scope` narrows the new access token, while the user keeps the scope of the sign-in.
 */
export interface SilentOptions extends SilentRequestOptions {
  /** Ignores the refresh token. */
  forceIframeAuth?: boolean
}

/**
 * Renews with the refresh token if there is one, otherwise in a hidden frame. Tabs take turns and adopt tokens renewed
 * by another tab. Resolves with null if the user was removed before the response.
 */
export async function renew(context: Context, options: SilentOptions): Promise<User | null> {
  const initialUser = context.currentUser.get()
  const { authority, client_id } = context.settings
  const name = `oidc.renewal:${authority}:${client_id}`
  return withLock(name, options.signal, async () => {
    const user = context.currentUser.get()
    const isOrdinary = !options.scope && !options.resource && !options.extraTokenParams
    if (initialUser && isOrdinary && user?.access_token !== initialUser.access_token) return user
    if (user?.refresh_token && !options.forceIframeAuth) return renewByToken(context, user, user.refresh_token, options)
    return renewInFrame(context, user, options)
  })
}

/** Runs one at a time across tabs, if the browser supports locks. */
async function withLock<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await navigator.locks.request(name, signal ? { signal } : {}, async () => {
      await waitForBroadcast()
      return work()
    })
  } catch (error) {
    throw toSigninError(error, signal)
  }
}

/** The previous tab's broadcast is delivered as a separate task. */
const waitForBroadcast = () => new Promise((resolve) => setTimeout(resolve))

async function renewByToken(
  context: Context,
  user: User,
  refreshToken: string,
  options: SilentOptions,
): Promise<User | null> {
  try {
    return await refresh(context, user, refreshToken, options)
  } catch (error) {
    if ((error as SigninError).code !== 'invalid_grant') throw error
    const latestUser = context.currentUser.get()
    if (latestUser?.refresh_token !== refreshToken) return latestUser
    // The refresh token is invalid; the session at the provider may still exist.
    context.currentUser.save(new User({ ...latestUser, refresh_token: undefined }))
    return await renewInFrame(context, user, options).catch(() => {
      throw error
    })
  }
}

/** Requests new tokens (RFC 6749, section 6) and updates them in the user, who is otherwise unchanged. */
async function refresh(
  { settings, provider, currentUser, checkClock }: Context,
  user: User,
  refreshToken: string,
  { signal, scope: requestedScope, resource, extraTokenParams }: SilentOptions,
): Promise<User | null> {
  const connection = await provider.connect(signal)
  const parameters = { ...omitEmpty({ scope: requestedScope, resource }), ...extraTokenParams }
  const send = () => sendRefreshRequest(connection, refreshToken, parameters)
  const tokens = await exchange(send, readTokenResponse, signal)
  checkClock(tokens.id_token)
  if (tokens.id_token) {
    await verifyIdToken(tokens.id_token, await provider.keys(), {
      ...deriveExpectedIdToken(connection.server, settings),
      nonce: readUnverifiedClaims(user.id_token).nonce,
      renews: user.profile,
      accessToken: tokens.access_token,
    })
  }
  const latestUser = currentUser.get()
  if (latestUser?.refresh_token !== refreshToken) return latestUser
  // Scope, session and profile remain those of the sign-in.
  const { scope, session_state, token_type, ...renewedFields } = tokens
  const renewed = new User({ ...latestUser, ...renewedFields })
  await currentUser.acceptRenewed(renewed, refreshToken)
  return renewed
}

async function renewInFrame(context: Context, user: User | null, options: SilentOptions): Promise<User | null> {
  const { includeIdTokenInSilentRenew, validateSubOnSilentRenew } = context.settings
  const renewed = await signinInFrame(context, {
    ...options,
    id_token_hint: options.id_token_hint ?? (includeIdTokenInSilentRenew ? user?.id_token : undefined),
    expectedSub: validateSubOnSilentRenew ? user?.profile.sub : undefined,
  })
  if (user && !context.currentUser.get()) return null
  context.currentUser.accept(renewed)
  return renewed
}
