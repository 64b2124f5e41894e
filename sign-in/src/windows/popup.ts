import { createAbortablePromise } from '../abortable-promise.ts'
import { signinError, toSigninError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { isSameOriginUrl } from './frame.ts'
import { type Destination, navigate } from './redirect.ts'

/** The destination of a popup, and the state id of its response. */
export interface PopupRequest extends Destination {
  stateId: string | undefined
}

/** The options of a popup. */
export interface PopupWindow {
  popupWindowFeatures?: string
  popupWindowTarget?: string
}

/** Opens an empty popup. Call it before any await: browsers allow popups only directly after a click. */
export function openPopup({ popupWindowTarget, popupWindowFeatures }: PopupWindow): Window {
  const popup = window.open('', popupWindowTarget, popupWindowFeatures)
  if (!popup) throw signinError('popup_blocked')
  return popup
}

/**
 * Sends the popup to the destination from `prepare`. Ends with the response URL, a closed popup, or `signal`, whichever
 * comes first; then closes the popup.
 */
export function requestInPopup(
  popup: Window,
  prepare: () => Promise<PopupRequest>,
  { popupCheckInterval, popupIsolated }: Settings,
  signal?: AbortSignal,
): Promise<string> {
  return createAbortablePromise<string>(signal, ({ resolve, reject }) => {
    let channel: BroadcastChannel | undefined
    let isOver = false
    const send = ({ stateId, ...destination }: PopupRequest) => {
      if (isOver) return
      if (popup.closed) return reject(signinError('popup_closed'))
      if (stateId) {
        channel = new BroadcastChannel(channelName(stateId))
        channel.onmessage = ({ data }) =>
          isSameOriginUrl(data) ? resolve(data) : reject(signinError('invalid_popup_response'))
      }
      navigate(popup, destination, true)
    }
    prepare()
      .then(send)
      .catch((error) => reject(toSigninError(error)))
    const polling = popupIsolated ? undefined : setInterval(createClosedCheck(popup, reject), popupCheckInterval)
    return () => {
      isOver = true
      clearInterval(polling)
      channel?.close()
      popup.close()
    }
  })
}

/** A popup closes itself after responding: its message gets one more tick to arrive. */
function createClosedCheck(popup: Window, reject: (error: unknown) => void) {
  let wasClosed = false
  return () => {
    if (wasClosed) reject(signinError('popup_closed'))
    wasClosed = popup.closed
  }
}

/** Forwards the popup's URL to its opener and closes the popup. */
export function forwardToOpener(stateId: string, responseUrl: string): void {
  const channel = new BroadcastChannel(channelName(stateId))
  channel.postMessage(responseUrl)
  channel.close()
  window.close()
}

/** Channels are limited to the origin, and this one to pages that know the state. */
const channelName = (stateId: string) => `oidc.popup.${stateId}`
