import { secureUrl } from '../protocol/connection.ts'
import type { Settings } from '../settings.ts'
import { hiddenFrame } from '../windows/frame.ts'

/** The provider's frame that knows whether its session changed (OpenID Connect Session Management 1.0, section 3.2). */
export interface CheckSessionFrame {
  /** Asks at once and at every interval; the session that is asked after already goes on. */
  watch: (sessionState: string) => void
  stop: () => void
  remove: () => void
}

export interface CheckSessionAnswers {
  onUnchanged: () => void
  /** Nothing is asked any more when this is called. */
  onChanged: () => void
}

/** Loads the frame; it is there when this resolves. */
export async function loadCheckSessionFrame(
  address: string,
  { client_id, checkSessionInterval, stopCheckSessionOnError, logger }: Settings,
  { onUnchanged, onChanged }: CheckSessionAnswers,
): Promise<CheckSessionFrame> {
  const { href, origin } = secureUrl(address)
  const frame = hiddenFrame(href)
  let watched: string | undefined
  let asking: ReturnType<typeof setInterval> | undefined

  const stop = () => {
    watched = undefined
    clearInterval(asking)
  }
  const receive = ({ origin: from, source, data }: MessageEvent) => {
    if (from !== origin || source !== frame.contentWindow || watched === undefined) return
    if (data === 'unchanged') onUnchanged()
    if (data === 'changed') {
      stop()
      onChanged()
    }
    if (data === 'error') {
      logger?.warn('The session check of the provider answered with an error')
      if (stopCheckSessionOnError) stop()
    }
  }
  window.addEventListener('message', receive)
  await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  return {
    watch: (sessionState) => {
      if (watched === sessionState) return
      stop()
      watched = sessionState
      const ask = () => frame.contentWindow?.postMessage(`${client_id} ${sessionState}`, origin)
      ask()
      asking = setInterval(ask, checkSessionInterval)
    },
    stop,
    remove: () => {
      stop()
      window.removeEventListener('message', receive)
      frame.remove()
    },
  }
}
