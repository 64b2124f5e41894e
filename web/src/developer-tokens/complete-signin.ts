import type { SigninClient, SigninErrorCode, User } from '@passport/sign-in'

/** The signed-in user of this tab, and the failure of a response in the URL. */
export interface SigninResult {
  user: User | null
  failure?: unknown
}

/** Reports whether a fragment is a sign-in response: a code or an error (RFC 6749, section 4.1.2.1). */
export const isSigninResponse = (hash: string): boolean => /[#&](?:code|error)=/.test(hash)

/**
 * Completes the sign-in if the URL has a response, and removes the response, so that a reload does not send it again.
 * `sub` is the user signed in at Passport.
 */
export async function completeSignin(client: SigninClient, sub: string | undefined): Promise<SigninResult> {
  const url = location.href
  if (!isSigninResponse(location.hash)) return { user: await loadStoredUser(client, sub) }
  try {
    return { user: (await client.signinCallback(url)) ?? null }
  } catch (failure) {
    const user = await loadStoredUser(client, sub)
    // The Back button returns to the old response, whose token is stored.
    return user && errorCodeOf(failure) === 'state_already_used' ? { user } : { user, failure }
  } finally {
    // On success, the client has removed it.
    if (location.href === url) history.replaceState(history.state, '', location.pathname + location.search)
  }
}

/** Returns the user stored in this tab. Another user's token is removed and never shown. */
async function loadStoredUser(client: SigninClient, sub: string | undefined): Promise<User | null> {
  const user = await client.getUser()
  if (!user || user.profile.sub === sub) return user
  await client.removeUser()
  return null
}

/** Returns the code of a sign-in error. An `instanceof` check would load the client's code. */
export const errorCodeOf = (failure: unknown): SigninErrorCode | (string & {}) | undefined => {
  const { code } = (failure ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
