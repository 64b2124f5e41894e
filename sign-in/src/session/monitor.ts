import type { Emitter } from '../events.ts'
import type { Metadata, Settings } from '../settings.ts'
import type { User } from '../user.ts'
import { createCheckSessionFrame } from './check-session-frame.ts'

/** The provider's session, as found by a silent request. */
export interface SessionStatus {
  session_state: string
  /** Undefined for an anonymous session. */
  sub?: string | undefined
  sid?: string | undefined
}

/** The delay between a sign-out and the next session query, ms; the provider needs a moment. */
const pauseAfterSignOut = 1000

/** The inputs of a session monitor. */
export interface MonitoredSession {
  settings: Settings
  events: Emitter
  metadata: () => Promise<Metadata>
  /** Resolves with undefined if no session is known at the provider. */
  query: () => Promise<SessionStatus | undefined>
  user: User | null
  /** The stored session state that the frame has confirmed; it outlives a reload of the page. */
  confirmed: { read: () => string | null; write: (sessionState: string) => void }
}

/**
 * Watches the provider's session while a user is loaded and emits changes; it never removes the local user. With
 * `monitorAnonymousSession` it also watches for a new sign-in. Returns a function that stops it.
 *
 * A frame on another site than the page cannot see the provider's cookie and reports every session as changed. A report
 * is therefore trusted only once the frame has confirmed the session; until then, the frame is loaded a second time, and
 * a second report ends the monitoring.
 */
export function monitorSession({ settings, events, metadata, query, user, confirmed }: MonitoredSession): () => void {
  const { monitorAnonymousSession, logger } = settings
  let knownSession: Partial<SessionStatus> = {}
  let pause: ReturnType<typeof setTimeout> | undefined
  let isConfirmed = false
  let isSecondLoad = false
  let isUnavailable = false

  const frame = createCheckSessionFrame(
    async () => (await metadata())['check_session_iframe'] as string | undefined,
    settings,
    {
      onUnchanged: () => {
        if (!isConfirmed) confirmed.write(knownSession.session_state ?? '')
        isConfirmed = true
        isSecondLoad = false
      },
      onChanged: () => {
        if (isConfirmed) return void handleChange()
        frame.remove()
        isUnavailable = isSecondLoad
        if (isUnavailable) return logger.warn?.('Session monitoring is unavailable')
        isSecondLoad = true
        frame.watch(knownSession.session_state ?? '')
      },
    },
  )
  const watch = (session: Partial<SessionStatus>) => {
    const isSame = session.session_state === knownSession.session_state
    knownSession = session
    if (isUnavailable || !session.session_state) return
    if (!isSame) {
      isConfirmed = confirmed.read() === session.session_state
      isSecondLoad = false
    }
    frame.watch(session.session_state)
  }
  /** Queries the session; undefined if the user changed during the query, because that event was handled already. */
  const querySession = async () => {
    const before = knownSession
    const session = await query().catch(() => undefined)
    return knownSession === before ? { before, session } : undefined
  }
  const handleChange = async () => {
    const result = await querySession()
    if (!result) return
    const { before, session } = result
    if (session?.sub !== before.sub) return events.emit(before.sub ? 'userSignedOut' : 'userSignedIn')
    if (!session) return
    if (session.sid !== before.sid) events.emit('userSessionChanged')
    watch(session)
    // Otherwise a frame that has lost the cookie since then would report the same session forever.
    isConfirmed = false
  }
  const watchAnonymousSession = async () => {
    const result = await querySession()
    if (result?.session) watch(result.session)
  }

  const stopListening = [
    events.on('userLoaded', ({ session_state, profile: { sub, sid } }) => {
      clearTimeout(pause)
      watch({ session_state: session_state ?? '', sub, sid })
    }),
    events.on('userUnloaded', () => {
      knownSession = {}
      isUnavailable = false
      frame.stop()
      if (monitorAnonymousSession) pause = setTimeout(watchAnonymousSession, pauseAfterSignOut)
    }),
  ]
  if (user) watch({ session_state: user.session_state ?? '', sub: user.profile.sub, sid: user.profile.sid })
  else if (monitorAnonymousSession) void watchAnonymousSession()
  return () => {
    knownSession = {}
    clearTimeout(pause)
    for (const stop of stopListening) stop()
    frame.remove()
  }
}
