import type { Abortable, Context } from './context.ts'
import {
  type EndSessionParameters,
  type EndSessionResponse,
  endSessionRequest,
  readEndSessionResponse,
} from './protocol/end-session.ts'
import { revokeTokensOf } from './revocation.ts'
import type { RequestType } from './storage/pending-state.ts'
import { openPopup, popupResponse } from './windows/popup.ts'
import { navigate } from './windows/redirect.ts'

/** What one sign-out can be given. */
export interface SignoutOptions extends EndSessionParameters, Abortable {}

/** What one sign-out by redirect can be given. */
export interface SignoutRedirectOptions extends SignoutOptions {
  useReplaceToNavigate?: boolean
}

/** A provider that does not answer must not keep anybody signed in, ms. */
const longestRevocation = 5000

/** Revokes if the settings say so, removes the user, and only then makes the request. */
async function prepare(context: Context, options: SignoutOptions, request_type: RequestType) {
  const { settings, provider, currentUser, states } = context
  const user = currentUser.get()
  states.sweep()
  if (settings.revokeAccessTokenOnSignout && user) {
    await revokeTokensOf(context, user, { signal: AbortSignal.timeout(longestRevocation) }).catch((error) =>
      settings.logger?.warn('Signing out although the tokens could not be revoked', error),
    )
  }
  currentUser.remove()
  const metadata = await provider.metadata(options.signal)
  const id_token_hint = options.id_token_hint ?? user?.id_token
  const { state, ...destination } = endSessionRequest(metadata, settings, { ...options, id_token_hint }, request_type)
  if (state) states.save(state)
  return { ...destination, stateId: state?.id }
}

/** Signs out here, then sends the page to the provider to sign out there. */
export async function signoutRedirect(context: Context, options: SignoutRedirectOptions): Promise<void> {
  const back = options.post_logout_redirect_uri ?? context.settings.post_logout_redirect_uri
  const destination = await prepare(context, { ...options, post_logout_redirect_uri: back }, 'so:r')
  navigate(window, destination, options.useReplaceToNavigate)
}

/** Signs out here, and in a popup at the provider. */
export async function signoutPopup(context: Context, options: SignoutOptions): Promise<EndSessionResponse> {
  const { settings } = context
  const { popup_post_logout_redirect_uri, post_logout_redirect_uri } = settings
  const back = options.post_logout_redirect_uri ?? popup_post_logout_redirect_uri ?? post_logout_redirect_uri
  const popup = openPopup(settings)
  // Only an answer with a state finds its way back to this page.
  const asked = { ...options, post_logout_redirect_uri: back, state: options.state ?? {} }
  const address = await popupResponse(popup, () => prepare(context, asked, 'so:p'), settings, options.signal)
  return completeSignOut(context, address)
}

/** Judges what came back from the provider. Without a state it is nobody's answer, which is no error. */
export function completeSignOut({ states }: Context, address: string): EndSessionResponse {
  const stateId = states.idOf(address)
  return readEndSessionResponse(address, stateId ? states.take(stateId) : undefined)
}
