import type { Abortable, Context } from './context.ts'
import { signinError } from './errors.ts'
import { type AuthorizationParameters, buildAuthorizationRequest } from './protocol/authorization.ts'
import { omitEmpty } from './settings.ts'
import { completeSignIn } from './sign-in-response.ts'
import type { RequestType } from './storage/pending-state.ts'
import type { User } from './user.ts'
import { requestInFrame } from './windows/frame.ts'
import { openPopup, type PopupWindow, requestInPopup } from './windows/popup.ts'
import { navigate } from './windows/redirect.ts'

/** Options of one sign-in; everything else is in the settings. */
export interface SigninOptions extends AuthorizationParameters, Abortable {
  redirect_uri?: string
}

/** Options of one sign-in with a popup. */
export interface PopupOptions extends SigninOptions, PopupWindow {}

/** Options of one silent request. */
export interface SilentRequestOptions extends SigninOptions {
  /** The timeout of the hidden frame, ms. */
  silentRequestTimeout?: number
}

/** Options of one sign-in by redirect. */
export interface RedirectOptions extends SigninOptions {
  /** Leaves no history entry for this page. */
  useReplaceToNavigate?: boolean
}

interface Target {
  request_type: RequestType
  redirect_uri: string
}

/** Builds and stores a pending authorization request; stale requests are discarded. */
async function prepare({ settings, provider, states }: Context, options: SigninOptions, target: Target) {
  states.sweep()
  const metadata = await provider.metadata(options.signal)
  const dpop_jkt = await (await provider.dpop())?.calculateThumbprint()
  const { url, state } = await buildAuthorizationRequest(metadata, settings, options, { ...target, dpop_jkt })
  if (options.signal?.aborted) throw signinError('aborted', options.signal.reason)
  states.save(state)
  return { url, stateId: state.id }
}

/** Redirects the page to the provider. */
export async function signinRedirect(context: Context, options: RedirectOptions): Promise<void> {
  const redirect_uri = options.redirect_uri ?? context.settings.redirect_uri
  if (!redirect_uri) throw signinError('no_redirect_uri')
  const destination = await prepare(context, options, { request_type: 'si:r', redirect_uri })
  navigate(window, destination, options.useReplaceToNavigate)
}

/** Signs in with a popup; the redirect URL is that of the call, of popups, or of redirects. */
export async function signinPopup(context: Context, options: PopupOptions): Promise<User> {
  const { settings, states, currentUser } = context
  const redirect_uri = options.redirect_uri ?? settings.popup_redirect_uri ?? settings.redirect_uri
  if (!redirect_uri) throw signinError('no_popup_redirect_uri')
  const popup = openPopup({ ...settings, ...omitEmpty(options) })
  let stateId = ''
  const request = async () => {
    const popupOptions = { display: 'popup', ...omitEmpty(options) }
    const prepared = await prepare(context, popupOptions, { request_type: 'si:p', redirect_uri })
    stateId = prepared.stateId
    return prepared
  }
  try {
    const responseUrl = await requestInPopup(popup, request, settings, options.signal)
    const user = await completeSignIn(context, responseUrl, options)
    currentUser.accept(user)
    return user
  } finally {
    states.forget(stateId)
  }
}

interface FrameOptions extends SilentRequestOptions {
  /** The required subject; any other is rejected with `login_required`. */
  expectedSub?: string | undefined
}

/** Requests a sign-in in a hidden frame without interaction; the result is not stored. */
export async function signinInFrame(context: Context, options: FrameOptions): Promise<User> {
  const { settings, states } = context
  const redirect_uri = options.redirect_uri ?? settings.silent_redirect_uri ?? settings.redirect_uri
  if (!redirect_uri) throw signinError('no_silent_redirect_uri')
  const frameOptions = { prompt: 'none', ...omitEmpty(options) }
  const { url, stateId } = await prepare(context, frameOptions, { request_type: 'si:s', redirect_uri })
  try {
    const timeoutMs = options.silentRequestTimeout ?? settings.silentRequestTimeout
    const responseUrl = await requestInFrame(url, timeoutMs, options.signal)
    return await completeSignIn(context, responseUrl, options)
  } finally {
    states.forget(stateId)
  }
}
