import type { Abortable, Context } from './context.ts'
import { signinError } from './errors.ts'
import { withoutResponse } from './protocol/authorization.ts'
import type { EndSessionResponse } from './protocol/end-session.ts'
import { shared } from './shared.ts'
import { completeSignIn } from './sign-in-response.ts'
import { completeSignOut } from './sign-out.ts'
import type { PendingSignIn, PendingState } from './storage/pending-state.ts'
import type { User } from './user.ts'
import { answerParent } from './windows/frame.ts'
import { answerOpener } from './windows/popup.ts'

/**
 * Takes an answer to a sign-in to where it belongs: a redirect is completed here, and the user answered; popups and frames
 * pass it to the page that asked.
 */
export async function signinCallback(context: Context, address: string, options: Abortable): Promise<User | undefined> {
  const id = context.states.idOf(address)
  if (!id) throw signinError('no_state')
  const state = context.states.peek(id)
  if (state?.request_type === 'si:p') {
    answerOpener(id, address)
    return undefined
  }
  if (state?.request_type === 'si:s') {
    answerParent(address)
    return undefined
  }
  if (state && state.request_type !== 'si:r') throw signinError('invalid_request_type')
  const user = await judge({ id, state, context, address, options })
  context.currentUser.accept(user)
  return user
}

interface Answer {
  id: string
  state: PendingState | undefined
  context: Context
  address: string
  options: Abortable
}

/** By state, of all clients on the page: one that is made anew while the answer is judged shares the outcome. */
const judge = shared(
  ({ id }: Answer) => id,
  async ({ state, context, address, options }: Answer) => {
    const user = await completeSignIn(context, address, options)
    // Before anybody hears of it, because who does may go elsewhere.
    if (address === location.href) {
      history.replaceState(history.state, '', withoutResponse(address, state as PendingSignIn))
    }
    return user
  },
)

/** Takes an answer to a sign-out to where it belongs. */
export async function signoutCallback(context: Context, address: string): Promise<EndSessionResponse | undefined> {
  const { states } = context
  const id = states.idOf(address)
  const state = id ? states.peek(id) : undefined
  if (id && state?.request_type === 'so:p') {
    answerOpener(id, address)
    return undefined
  }
  if (state && state.request_type !== 'so:r') throw signinError('invalid_request_type')
  return completeSignOut(context, address)
}
