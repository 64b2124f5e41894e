import type { Emitter } from '../events.ts'
import type { Metadata, Settings } from '../settings.ts'
import type { User } from '../user.ts'
import { createCheckSessionFrame } from './check-session-frame.ts'

/** Whose session it is at the provider, as a silent request found. */
export interface SessionStatus {
  session_state: string
  /** Undefined for nobody. */
  sub?: string | undefined
  sid?: string | undefined
}

/** After a sign-out the provider needs a moment before it is asked who is there now, ms. */
const pauseAfterSignOut = 1000

/** What a monitor watches, and by what. */
export interface MonitoredSession {
  settings: Settings
  events: Emitter
  metadata: () => Promise<Metadata>
  /** Undefined where nobody is signed in at the provider. */
  query: () => Promise<SessionStatus | undefined>
  user: User | null
}

/**
 * Watches the session at the provider from when a user is loaded until it is unloaded, and tells of changes; the user
 * here is never removed. With `monitorAnonymousSession` it also watches for somebody signing in. The answer ends it.
 */
export function monitorSession({ settings, events, metadata, query, user }: MonitoredSession): () => void {
  const { monitorAnonymousSession, logger } = settings
  let known: Partial<SessionStatus> = {}
  let pause: ReturnType<typeof setTimeout> | undefined
  let emptyAlarms = 0

  const frame = createCheckSessionFrame(
    async () => (await metadata())['check_session_iframe'] as string | undefined,
    settings,
    {
      onUnchanged: () => {
        emptyAlarms = 0
      },
      onChanged: () => void judge(),
    },
  )
  const watch = (session: Partial<SessionStatus>) => {
    known = session
    if (session.session_state) frame.watch(session.session_state)
  }
  /** What is there now; undefined where somebody came or went while it was asked for, which has been seen to already. */
  const ask = async () => {
    const before = known
    const session = await query().catch(() => undefined)
    return known === before ? { before, session } : undefined
  }
  const judge = async () => {
    const found = await ask()
    if (!found) return
    const { before, session } = found
    if (session?.sub !== before.sub) return events.emit(before.sub ? 'userSignedOut' : 'userSignedIn')
    if (!session) return
    const isOther = session.sid !== before.sid
    emptyAlarms = isOther ? 0 : emptyAlarms + 1
    if (isOther) events.emit('userSessionChanged')
    // A frame that cannot see the provider's cookie says “changed” for ever.
    if (emptyAlarms >= 2) logger?.warn('session monitoring unavailable')
    else watch(session)
  }
  const watchNobody = async () => {
    const found = await ask()
    if (found?.session) watch(found.session)
  }

  const stopListening = [
    events.on('userLoaded', ({ session_state, profile: { sub, sid } }) => {
      clearTimeout(pause)
      watch({ session_state: session_state ?? '', sub, sid })
    }),
    events.on('userUnloaded', () => {
      known = {}
      emptyAlarms = 0
      frame.stop()
      if (monitorAnonymousSession) pause = setTimeout(watchNobody, pauseAfterSignOut)
    }),
  ]
  if (user) watch({ session_state: user.session_state ?? '', sub: user.profile.sub, sid: user.profile.sid })
  else if (monitorAnonymousSession) void watchNobody()
  return () => {
    known = {}
    clearTimeout(pause)
    for (const stop of stopListening) stop()
    frame.remove()
  }
}
