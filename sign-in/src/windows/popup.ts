import { signinError, signinErrorOf } from '../errors.ts'
import { oneOutcome } from '../outcome.ts'
import type { Settings } from '../settings.ts'
import { isOwnAddress } from './frame.ts'
import { type Destination, navigate } from './redirect.ts'

/** Where a popup shall go, and the id of the state that its answer will carry. */
export interface PopupRequest extends Destination {
  stateId: string | undefined
}

/** Opens an empty popup. To be called before anything is awaited: browsers allow it only right after a click. */
export function openPopup({ popupWindowTarget, popupWindowFeatures }: Settings): Window {
  const popup = window.open('', popupWindowTarget, popupWindowFeatures)
  if (!popup) throw signinError('popup_blocked')
  return popup
}

/**
 * Sends the popup to where `prepare` says, and waits for the address that it comes back with, for its being closed, or
 * for `signal`, whichever is first; closes it then.
 */
export function popupResponse(
  popup: Window,
  prepare: () => Promise<PopupRequest>,
  { popupCheckInterval, popupIsolated }: Settings,
  signal?: AbortSignal,
): Promise<string> {
  return oneOutcome<string>(signal, ({ succeed, fail }) => {
    let channel: BroadcastChannel | undefined
    let isOver = false
    const send = ({ stateId, ...destination }: PopupRequest) => {
      if (isOver) return
      if (popup.closed) return fail(signinError('popup_closed'))
      if (stateId) {
        channel = new BroadcastChannel(channelName(stateId))
        channel.onmessage = ({ data }) =>
          isOwnAddress(data) ? succeed(data) : fail(signinError('invalid_popup_response'))
      }
      navigate(popup, destination, true)
    }
    prepare()
      .then(send)
      .catch((error) => fail(signinErrorOf(error)))
    const polling = popupIsolated ? undefined : setInterval(watchForClosing(popup, fail), popupCheckInterval)
    return () => {
      isOver = true
      clearInterval(polling)
      channel?.close()
      popup.close()
    }
  })
}

/** A popup that has answered closes itself: what it sent gets one more tick to arrive. */
function watchForClosing(popup: Window, fail: (error: unknown) => void) {
  let wasClosed = false
  return () => {
    if (wasClosed) fail(signinError('popup_closed'))
    wasClosed = popup.closed
  }
}

/** Called in the popup: passes its address to the page that opened it, and closes it. */
export function answerOpener(stateId: string, address: string): void {
  const channel = new BroadcastChannel(channelName(stateId))
  channel.postMessage(address)
  channel.close()
  window.close()
}

/** Only pages of the same origin share a channel, and only those that know the state share this one. */
const channelName = (stateId: string) => `oidc.popup.${stateId}`
