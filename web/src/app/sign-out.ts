import { signOut } from '@passport/contract/accounts'
import { call } from './api.ts'
import { removeDrafts } from './drafts.ts'
import { reportFailure } from './messages.ts'

/** What ends besides this session. */
interface Scope {
  everywhere?: boolean
  personalTokens?: boolean
}

/** Signs out here, or everywhere, and redirects to sign out of the identity provider too. */
export async function endSession(scope: Scope = {}): Promise<void> {
  try {
    const { endSessionUrl } = await call(signOut, { body: scope })
    removeStoredUsers()
    removeDrafts()
    location.assign(endSessionUrl ?? '/app/')
  } catch (error) {
    reportFailure('sign out', error)
  }
}

/**
 * Removes the sign-in client's users from this tab, with their tokens. They are found by their storage keys, because
 * every page would have to load the client otherwise.
 */
function removeStoredUsers() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith('oidc.user:')) sessionStorage.removeItem(key)
  } catch {
    // With blocked storage, none was kept.
  }
}
