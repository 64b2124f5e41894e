import { signOut } from '@passport/contract/accounts'
import { toast } from '../ui/toast.ts'
import { call, failureOf } from './api.ts'

/** Signs out here, or everywhere, and goes to sign out of the identity provider too. */
export async function leave(everywhere = false): Promise<void> {
  try {
    const { endSessionUrl } = await call(signOut, { body: { everywhere } })
    location.assign(endSessionUrl ?? '/app/')
  } catch (error) {
    const { title, detail } = failureOf(error)
    await toast({ type: 'error', content: `Not signed out: ${title}. ${detail}` })
  }
}
