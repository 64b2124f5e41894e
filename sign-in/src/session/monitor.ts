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
}

/**
 * Watches the provider's session while a user is loaded and emits changes; it never removes the local user. With
 * `monitorAnonymousSession` it also watches for a new sign-in. Returns a function that stops it.
 */
export function monitorSession({ settings, events, metadata, query, user }: MonitoredSession): () => void {
  const { monitorAnonymousSession, logger } = settings
  let knownSession: Partial<SessionStatus> = {}
  let pause: ReturnType<typeof setTimeout> | undefined
  let falseAlarms = 0

  const frame = createCheckSessionFrame(
    async () => (await metadata())['check_session_iframe'] as string | undefined,
    settings,
    {
      onUnchanged: () => {
        falseAlarms = 0
      },
      onChanged: () => void handleChange(),
    },
  )
  const watch = (session: Partial<SessionStatus>) => {
    knownSession = session
    if (session.session_state) frame.watch(session.session_state)
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
    const isNewSession = session.sid !== before.sid
    falseAlarms = isNewSession ? 0 : falseAlarms + 1
    if (isNewSession) events.emit('userSessionChanged')
    // A frame without access to the provider's cookie reports “changed” forever.
    if (falseAlarms >= 2) logger?.warn('Session monitoring is unavailable')
    else watch(session)
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
      falseAlarms = 0
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
