import { signOut } from '@passport/contract/accounts'
import { call } from './api.ts'
import { draftKeyPrefix } from './draft-key-prefix.ts'
import { reportFailure } from './messages.ts'

/** What ends besides this session. */
interface Scope {
  everywhere?: boolean
  personalTokens?: boolean
}

/** Signs out here, or everywhere, and redirects to sign out of the identity provider too. */
export async function endSession(scope: Scope = {}): Promise<void> {
  try {
    const { endSessionUrl, endSessionTicket } = await call(signOut, { body: scope })
    removeFromTab()
    if (endSessionUrl !== null && endSessionTicket !== undefined) submitForm(endSessionUrl, endSessionTicket)
    else location.assign(endSessionUrl ?? '/app/')
  } catch (error) {
    reportFailure('sign out', error)
  }
}

function submitForm(action: string, ticket: string) {
  const form = Object.assign(document.createElement('form'), { method: 'post', action, hidden: true })
  form.append(Object.assign(document.createElement('input'), { name: 'ticket', value: ticket }))
  document.body.append(form)
  form.submit()
}

/**
 * Removes the sign-in client's users, with their tokens, and the form drafts from this tab. They are found by their
 * storage keys, because every page would have to load the client and the forms otherwise.
 */
function removeFromTab() {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith('oidc.user:') || key.startsWith(draftKeyPrefix)) sessionStorage.removeItem(key)
  } catch {
    // With blocked storage, none was kept.
  }
}
