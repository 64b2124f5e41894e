import type { Context } from './context.ts'
import { type SigninError, signinErrorOf } from './errors.ts'
import { exchange } from './protocol/connection.ts'
import { expectedIdToken, unverifiedClaims, verifyIdToken } from './protocol/id-token.ts'
import { readTokenResponse, refreshRequest } from './protocol/token.ts'
import { type FrameOptions, type SigninOptions, signinInFrame } from './sign-in.ts'
import { User } from './user.ts'

/** What one silent sign-in can be given. */
export interface SilentOptions extends SigninOptions {
  /** Do not use the refresh token. */
  forceIframeAuth?: boolean
}

/**
 * Renews by the refresh token where there is one, and otherwise in a hidden frame. Tabs take turns, and take over what
 * another one got meanwhile. Resolves with null when the user was removed before the answer came.
 */
export async function renew(context: Context, options: SilentOptions): Promise<User | null> {
  const before = context.currentUser.get()
  const { authority, client_id } = context.settings
  const name = `oidc.renewal:${authority}:${client_id}`
  return inTurn(name, options.signal, async () => {
    const user = context.currentUser.get()
    if (before && user?.access_token !== before.access_token) return user
    if (user?.refresh_token && !options.forceIframeAuth) return renewByToken(context, user, user.refresh_token, options)
    return renewInFrame(context, user, options)
  })
}

/** One at a time in all tabs, where the browser can do that. */
async function inTurn<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await navigator.locks.request(name, signal ? { signal } : {}, async () => {
      await untilHeard()
      return work()
    })
  } catch (error) {
    throw signinErrorOf(error, signal)
  }
}

/** What the tab before said when it was done is delivered as a task of its own. */
const untilHeard = () => new Promise((resolve) => setTimeout(resolve))

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
    const now = context.currentUser.get()
    if (now?.refresh_token !== refreshToken) return now
    // The token is worth nothing any more; the session at the provider may still be there.
    context.currentUser.keep(new User({ ...now, refresh_token: undefined }))
    return await renewInFrame(context, user, options).catch(() => {
      throw error
    })
  }
}

/** Gets new tokens (RFC 6749, section 6) and puts them into the user, who otherwise stays as they are. */
async function refresh(
  { settings, provider, currentUser, checkClock }: Context,
  user: User,
  refreshToken: string,
  { signal, extraTokenParams = settings.extraTokenParams }: SilentOptions,
): Promise<User | null> {
  const connection = await provider.connect(signal)
  const send = () => refreshRequest(connection, refreshToken, extraTokenParams)
  const tokens = await exchange(send, readTokenResponse, signal)
  checkClock(tokens.id_token)
  if (tokens.id_token) {
    const expected = { ...expectedIdToken(connection.server, settings), nonce: unverifiedClaims(user.id_token).nonce }
    await verifyIdToken(tokens.id_token, await provider.keys(), { ...expected, renews: user.profile })
  }
  const now = currentUser.get()
  if (now?.refresh_token !== refreshToken) return now
  // Scope, session and profile stay those of the sign-in.
  const { scope, session_state, token_type, ...renewing } = tokens
  const renewed = new User({ ...now, ...renewing })
  await currentUser.acceptRenewed(renewed, refreshToken)
  return renewed
}

async function renewInFrame(context: Context, user: User | null, options: SilentOptions): Promise<User | null> {
  const asked: FrameOptions = {
    ...options,
    expectedSub: context.settings.validateSubOnSilentRenew ? user?.profile.sub : undefined,
  }
  const renewed = await signinInFrame(context, asked)
  if (user && !context.currentUser.get()) return null
  context.currentUser.accept(renewed)
  return renewed
}
