import type { SigninClient, SigninErrorCode, User } from '@passport/sign-in'

/** Who has a token when the page is opened, and what went wrong if it was opened with an answer. */
export interface Arrival {
  user: User | null
  failure?: unknown
}

/** Whether a fragment is the answer to a sign-in: a code, or why there is none (RFC 6749, section 4.1.2.1). */
export const isAnswer = (hash: string): boolean => /[#&](?:code|error)=/.test(hash)

/**
 * Completes the sign-in that the address is the answer to, if it is one; a reload finds the address without it. `sub` is
 * who is signed in at Passport.
 */
export async function arrive(client: SigninClient, sub: string | undefined): Promise<Arrival> {
  const address = location.href
  if (!isAnswer(location.hash)) return { user: await storedOf(client, sub) }
  try {
    return { user: (await client.signinCallback(address)) ?? null }
  } catch (failure) {
    const user = await storedOf(client, sub)
    // One who goes back in the history comes by the old answer again, and has the token from it.
    return user && codeOf(failure) === 'state_already_used' ? { user } : { user, failure }
  } finally {
    // The client does so itself where all went well.
    if (location.href === address) history.replaceState(history.state, '', location.pathname + location.search)
  }
}

/** The token that this tab keeps. One that somebody else left behind is nobody's to see, and is removed. */
async function storedOf(client: SigninClient, sub: string | undefined): Promise<User | null> {
  const user = await client.getUser()
  if (!user || user.profile.sub === sub) return user
  await client.removeUser()
  return null
}

/** By the code alone: asking for the class would load the client with whoever only wants the words. */
export const codeOf = (failure: unknown): SigninErrorCode | (string & {}) | undefined => {
  const { code } = (failure ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
