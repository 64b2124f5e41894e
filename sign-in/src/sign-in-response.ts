import type { Abortable, Context } from './context.ts'
import { signinError } from './errors.ts'
import { type AuthorizationResponse, readAuthorizationResponse } from './protocol/authorization.ts'
import { exchange } from './protocol/connection.ts'
import { deriveExpectedIdToken, verifyIdToken } from './protocol/id-token.ts'
import { readTokenResponse, sendCodeRequest, type TokenResponse } from './protocol/token.ts'
import { readUserInfoResponse, sendUserInfoRequest } from './protocol/user-info.ts'
import type { PendingSignIn } from './storage/pending-state.ts'
import { addClaims, type Profile, toProfile, User } from './user.ts'

/** Exchanges a response of the provider for a user, who is not stored yet. Each response can be used once. */
export async function completeSignIn(
  context: Context,
  responseUrl: string,
  { signal, expectedSub }: Abortable & { expectedSub?: string | undefined },
): Promise<User> {
  const { settings, provider, states } = context
  const stateId = states.findId(responseUrl)
  if (!stateId) throw signinError('no_state')
  // First, so that an unreachable provider does not consume the response.
  const metadata = await provider.metadata(signal)
  const state = states.take(stateId) as PendingSignIn
  const response = readAuthorizationResponse(metadata, settings, state, responseUrl)
  const tokens = await requestTokens(context, state, response, signal)
  const idToken = tokens.id_token
  if (!idToken) throw signinError('no_id_token')

  const expected = {
    ...deriveExpectedIdToken(metadata, settings),
    nonce: state.nonce,
    accessToken: tokens.access_token,
  }
  const claims = await verifyIdToken(idToken, await provider.keys(), expected)
  if (expectedSub !== undefined && claims.sub !== expectedSub) throw signinError('login_required')
  const profile = await addUserInfo(
    context,
    state,
    toProfile(claims, settings.filterProtocolClaims),
    tokens.access_token,
    signal,
  )
  if (signal?.aborted) throw signinError('aborted', signal.reason)
  return new User({
    id_token: idToken,
    session_state: response.sessionState ?? tokens.session_state,
    access_token: tokens.access_token,
    refresh_token: tokens.refresh_token,
    token_type: tokens.token_type,
    scope: tokens.scope ?? state.scope,
    profile,
    expires_at: tokens.expires_at,
    state: state.data,
  })
}

/** A response without a code has only an ID token. */
async function requestTokens(
  { provider, checkClock }: Context,
  state: PendingSignIn,
  { parameters, idToken }: AuthorizationResponse,
  signal?: AbortSignal,
): Promise<Partial<TokenResponse>> {
  if (idToken) return { id_token: idToken }
  const connection = await provider.connect(signal)
  provider.keys().catch(() => {})
  const tokens = await exchange(() => sendCodeRequest(connection, parameters, state), readTokenResponse, signal)
  checkClock(tokens.id_token)
  return tokens
}

async function addUserInfo(
  { settings, provider }: Context,
  { skipUserInfo }: PendingSignIn,
  profile: Profile,
  accessToken: string | undefined,
  signal?: AbortSignal,
): Promise<Profile> {
  const connection = await provider.connect(signal)
  const { server } = connection
  if (!settings.loadUserInfo || skipUserInfo || !accessToken || !server.userinfo_endpoint) return profile
  const keys = await provider.keys()
  const expected = deriveExpectedIdToken(server, settings)
  const claims = await exchange(
    () => sendUserInfoRequest(connection, accessToken),
    (response) => readUserInfoResponse(response, profile.sub, keys, expected),
    signal,
  )
  return addClaims(profile, claims, settings.mergeClaims)
}
