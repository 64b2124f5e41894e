import { signOut } from '@passport/contract/accounts'
import { toast } from '../ui/toast.ts'
import { call, failureOf } from './api.ts'

/** Signs out here, or everywhere, and goes to sign out of the identity provider too. */
export async function leave(everywhere = false): Promise<void> {
  try {
    const { endSessionUrl } = await call(signOut, { body: { everywhere } })
    forgetStoredUsers()
    location.assign(endSessionUrl ?? '/app/')
  } catch (error) {
    const { title, detail } = failureOf(error)
    await toast({ type: 'error', content: `Not signed out: ${title}. ${detail}` })
  }
}

/**
 * Removes whom the sign-in client keeps in this tab, with their tokens. By the names of its entries, because loading it
 * costs every page what only one needs.
 */
function forgetStoredUsers() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith('oidc.user:')) sessionStorage.removeItem(key)
  } catch {
    // Where storage is forbidden nobody was kept.
  }
}
