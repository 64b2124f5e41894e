import type { Abortable, Context } from './context.ts'
import {
  buildEndSessionRequest,
  type EndSessionParameters,
  type EndSessionResponse,
  readEndSessionResponse,
} from './protocol/end-session.ts'
import { revokeUserTokens } from './revocation.ts'
import { omitEmpty } from './settings.ts'
import type { RequestType } from './storage/pending-state.ts'
import { openPopup, type PopupWindow, requestInPopup } from './windows/popup.ts'
import { navigate } from './windows/redirect.ts'

/** Options of one sign-out. */
export interface SignoutOptions extends EndSessionParameters, Abortable {}

/** Options of one sign-out with a popup. */
export interface SignoutPopupOptions extends SignoutOptions, PopupWindow {}

/** Options of one sign-out by redirect. */
export interface SignoutRedirectOptions extends SignoutOptions {
  useReplaceToNavigate?: boolean
}

/** The timeout of a revocation, ms: an unresponsive provider must not prevent a sign-out. */
const revocationTimeoutMs = 5000

/** Revokes the tokens if configured, removes the user, then builds the request. */
async function prepare(context: Context, options: SignoutOptions, request_type: RequestType) {
  const { settings, provider, currentUser, states } = context
  const user = currentUser.get()
  states.sweep()
  if (settings.revokeAccessTokenOnSignout && user) {
    await revokeUserTokens(context, user, { signal: AbortSignal.timeout(revocationTimeoutMs) }).catch((error) =>
      settings.logger.warn?.('The tokens could not be revoked. Signing out anyway.', error),
    )
  }
  currentUser.remove()
  const metadata = await provider.metadata(options.signal)
  const id_token_hint = options.id_token_hint ?? user?.id_token
  const { state, ...destination } = buildEndSessionRequest(
    metadata,
    settings,
    { ...options, id_token_hint },
    request_type,
  )
  if (state) states.save(state)
  return { ...destination, stateId: state?.id }
}

/** Signs out here, then redirects to the provider to sign out there. */
export async function signoutRedirect(context: Context, options: SignoutRedirectOptions): Promise<void> {
  const returnUrl = options.post_logout_redirect_uri ?? context.settings.post_logout_redirect_uri
  const destination = await prepare(context, { ...options, post_logout_redirect_uri: returnUrl }, 'so:r')
  navigate(window, destination, options.useReplaceToNavigate)
}

/** Signs out here, and at the provider in a popup. */
export async function signoutPopup(context: Context, options: SignoutPopupOptions): Promise<EndSessionResponse> {
  const { settings } = context
  const { popup_post_logout_redirect_uri, post_logout_redirect_uri } = settings
  const returnUrl = options.post_logout_redirect_uri ?? popup_post_logout_redirect_uri ?? post_logout_redirect_uri
  const popup = openPopup({ ...settings, ...omitEmpty(options) })
  // Only a response with a state can be routed back to this page.
  const popupOptions = { ...options, post_logout_redirect_uri: returnUrl, data: options.data ?? options.state ?? {} }
  const responseUrl = await requestInPopup(
    popup,
    () => prepare(context, popupOptions, 'so:p'),
    settings,
    options.signal,
  )
  return completeSignOut(context, responseUrl)
}

/** Validates the provider's response. A response without a state belongs to no request, which is not an error. */
export function completeSignOut({ states }: Context, responseUrl: string): EndSessionResponse {
  const stateId = states.findId(responseUrl)
  return readEndSessionResponse(responseUrl, stateId ? states.take(stateId) : undefined)
}
