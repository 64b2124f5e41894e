import type { Abortable, Context } from './context.ts'
import { signinError } from './errors.ts'
import { removeResponse } from './protocol/authorization.ts'
import type { EndSessionResponse } from './protocol/end-session.ts'
import { shareCalls } from './share-calls.ts'
import { completeSignIn } from './sign-in-response.ts'
import { completeSignOut } from './sign-out.ts'
import type { PendingSignIn, PendingState } from './storage/pending-state.ts'
import type { User } from './user.ts'
import { forwardToParent } from './windows/frame.ts'
import { forwardToOpener } from './windows/popup.ts'

/**
 * Routes a sign-in response: a redirect is completed here and returns the user; popups and frames forward it to the
 * requesting page.
 */
export async function signinCallback(
  context: Context,
  responseUrl: string,
  options: Abortable,
): Promise<User | undefined> {
  const id = context.states.findId(responseUrl)
  if (!id) throw signinError('no_state')
  const state = context.states.peek(id)
  if (state?.request_type === 'si:p') {
    forwardToOpener(id, responseUrl)
    return undefined
  }
  if (state?.request_type === 'si:s') {
    forwardToParent(responseUrl)
    return undefined
  }
  if (state && state.request_type !== 'si:r') throw signinError('invalid_request_type')
  const user = await completeOnce({ id, state, context, responseUrl, options })
  context.currentUser.accept(user)
  return user
}

interface CallbackInput {
  id: string
  state: PendingState | undefined
  context: Context
  responseUrl: string
  options: Abortable
}

/** Keyed by state across all clients on the page: a client created during processing shares the outcome. */
const completeOnce = shareCalls(
  ({ id }: CallbackInput) => id,
  async ({ state, context, responseUrl, options }: CallbackInput) => {
    const user = await completeSignIn(context, responseUrl, options)
    // Before events are emitted, because a listener may navigate away.
    if (responseUrl === location.href) {
      history.replaceState(history.state, '', removeResponse(responseUrl, state as PendingSignIn))
    }
    return user
  },
)

/** Routes a sign-out response. */
export async function signoutCallback(context: Context, responseUrl: string): Promise<EndSessionResponse | undefined> {
  const { states } = context
  const id = states.findId(responseUrl)
  const state = id ? states.peek(id) : undefined
  if (id && state?.request_type === 'so:p') {
    forwardToOpener(id, responseUrl)
    return undefined
  }
  if (state && state.request_type !== 'so:r') throw signinError('invalid_request_type')
  return completeSignOut(context, responseUrl)
}
