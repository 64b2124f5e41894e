import { secureUrl } from '../protocol/connection.ts'
import type { Settings } from '../settings.ts'
import { hiddenFrame } from '../windows/frame.ts'

/** The provider's frame that knows whether its session changed (OpenID Connect Session Management 1.0, section 3.2). */
export interface CheckSessionFrame {
  /** Asks at once, or when the frame is loaded, and at every interval; what is asked after already goes on. */
  watch: (sessionState: string) => void
  stop: () => void
  remove: () => void
}

/** What the frame says. */
export interface CheckSessionAnswers {
  onUnchanged: () => void
  /** Nothing is asked any more when this is called. */
  onChanged: () => void
}

/** The frame is loaded when it is first needed; a provider whose `address` is undefined has none. */
export function createCheckSessionFrame(
  address: () => Promise<string | undefined>,
  settings: Settings,
  answers: CheckSessionAnswers,
): CheckSessionFrame {
  const { client_id, checkSessionInterval, stopCheckSessionOnError, logger } = settings
  let watched: string | undefined
  let asking: ReturnType<typeof setInterval> | undefined
  let loading: Promise<LoadedFrame | undefined> | undefined

  const stop = () => {
    watched = undefined
    clearInterval(asking)
  }
  const hear = (said: unknown) => {
    if (watched === undefined) return
    if (said === 'unchanged') answers.onUnchanged()
    if (said === 'changed') {
      stop()
      answers.onChanged()
    }
    if (said === 'error') {
      logger?.warn('The session check of the provider answered with an error')
      if (stopCheckSessionOnError) stop()
    }
  }
  const load = () =>
    loadFrame(address, hear).catch((error) => {
      loading = undefined
      logger?.warn('The session at the provider cannot be watched', error)
      return undefined
    })
  const watch = async (sessionState: string) => {
    if (watched === sessionState) return
    stop()
    watched = sessionState
    loading ??= load()
    const frame = await loading
    if (!frame || watched !== sessionState) return
    const ask = () => frame.say(`${client_id} ${sessionState}`)
    ask()
    clearInterval(asking)
    asking = setInterval(ask, checkSessionInterval)
  }
  return {
    watch: (sessionState) => void watch(sessionState),
    stop,
    remove: () => {
      stop()
      void loading?.then((frame) => frame?.remove())
    },
  }
}

interface LoadedFrame {
  say: (message: string) => void
  remove: () => void
}

/** `hear` is called with what the frame says, and with nothing that comes from elsewhere. */
async function loadFrame(
  address: () => Promise<string | undefined>,
  hear: (said: unknown) => void,
): Promise<LoadedFrame | undefined> {
  const found = await address()
  if (!found) return undefined
  const { href, origin } = secureUrl(found)
  const frame = hiddenFrame(href)
  const receive = ({ origin: from, source, data }: MessageEvent) => {
    if (from === origin && source === frame.contentWindow) hear(data)
  }
  window.addEventListener('message', receive)
  await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  return {
    say: (message) => frame.contentWindow?.postMessage(message, origin),
    remove: () => {
      window.removeEventListener('message', receive)
      frame.remove()
    },
  }
}
