import { parseSecureUrl } from '../protocol/connection.ts'
import type { Settings } from '../settings.ts'
import { createHiddenFrame } from '../windows/frame.ts'

/** The provider's frame that detects session changes (OpenID Connect Session Management 1.0, section 3.2). */
export interface CheckSessionFrame {
  /**
   * Checks immediately, or once the frame is loaded, then at every interval. Has no effect for the session being
   * watched.
   */
  watch: (sessionState: string) => void
  stop: () => void
  /** Stops and removes the frame; the next watch loads it again. */
  remove: () => void
}

/** Callbacks for the frame's messages. */
export interface CheckSessionListeners {
  onUnchanged: () => void
  /** Called after the checks have stopped. */
  onChanged: () => void
}

/** Creates a frame that is loaded on first use; a provider without a frame URL has none. */
export function createCheckSessionFrame(
  loadUrl: () => Promise<string | undefined>,
  settings: Settings,
  listeners: CheckSessionListeners,
): CheckSessionFrame {
  const { client_id, checkSessionInterval, stopCheckSessionOnError, logger } = settings
  let watched: string | undefined
  let polling: ReturnType<typeof setInterval> | undefined
  let loading: Promise<LoadedFrame | undefined> | undefined

  const stop = () => {
    watched = undefined
    clearInterval(polling)
  }
  const handleMessage = (message: unknown) => {
    if (watched === undefined) return
    if (message === 'unchanged') listeners.onUnchanged()
    if (message === 'changed') {
      stop()
      listeners.onChanged()
    }
    if (message === 'error') {
      logger.warn?.('The session check of the provider returned an error')
      if (stopCheckSessionOnError) stop()
    }
  }
  const load = () =>
    loadFrame(loadUrl, handleMessage).catch((error) => {
      loading = undefined
      logger.warn?.('The session at the provider cannot be monitored', error)
      return undefined
    })
  const watch = async (sessionState: string) => {
    if (watched === sessionState) return
    stop()
    watched = sessionState
    loading ??= load()
    const frame = await loading
    if (!frame || watched !== sessionState) return
    const send = () => frame.post(`${client_id} ${sessionState}`)
    send()
    clearInterval(polling)
    polling = setInterval(send, checkSessionInterval)
  }
  return {
    watch: (sessionState) => void watch(sessionState),
    stop,
    remove: () => {
      stop()
      void loading?.then((frame) => frame?.remove())
      loading = undefined
    },
  }
}

interface LoadedFrame {
  post: (message: string) => void
  remove: () => void
}

/** Loads the page in a hidden frame; `onMessage` receives only messages of that frame. */
async function loadFrame(
  loadUrl: () => Promise<string | undefined>,
  onMessage: (message: unknown) => void,
): Promise<LoadedFrame | undefined> {
  const url = await loadUrl()
  if (!url) return undefined
  const { href, origin } = parseSecureUrl(url)
  const frame = createHiddenFrame(href)
  const receive = ({ origin: messageOrigin, source, data }: MessageEvent) => {
    if (messageOrigin === origin && source === frame.contentWindow) onMessage(data)
  }
  window.addEventListener('message', receive)
  await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  return {
    post: (message) => frame.contentWindow?.postMessage(message, origin),
    remove: () => {
      window.removeEventListener('message', receive)
      frame.remove()
    },
  }
}
