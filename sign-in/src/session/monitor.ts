import type { Emitter } from '../events.ts'
import type { Metadata, Settings } from '../settings.ts'
import type { User } from '../user.ts'
import { type CheckSessionFrame, loadCheckSessionFrame } from './check-session-frame.ts'

/** Whose session it is at the provider, as a silent request found. */
export interface SessionStatus {
  session_state: string
  /** Undefined for nobody. */
  sub?: string | undefined
  sid?: string | undefined
}

/** After a sign-out the provider needs a moment before it is asked who is there now, ms. */
const pauseAfterSignOut = 1000

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
  let frame: Promise<CheckSessionFrame | undefined> | undefined
  let pause: ReturnType<typeof setTimeout> | undefined
  let emptyAlarms = 0
  let isClosed = false

  const warn = (error: unknown) => logger?.warn('The session at the provider cannot be watched', error)

  const load = async () => {
    const { check_session_iframe } = await metadata()
    if (!check_session_iframe) return undefined
    return loadCheckSessionFrame(String(check_session_iframe), settings, {
      onUnchanged: () => {
        emptyAlarms = 0
      },
      onChanged: () => void ask(),
    })
  }
  const watch = async (session: Partial<SessionStatus>) => {
    known = session
    if (!session.session_state || isClosed) return
    frame ??= load().catch((error) => {
      frame = undefined
      warn(error)
      return undefined
    })
    const loaded = await frame
    // Whoever came or went meanwhile has been seen to already.
    if (known === session && !isClosed) loaded?.watch(session.session_state)
  }
  const watchUser = ({ session_state, profile: { sub, sid } }: User) => {
    clearTimeout(pause)
    void watch({ session_state: session_state ?? '', sub, sid })
  }
  const watchWhoeverIsThere = () => {
    query()
      .then((session) => session && watch(session))
      .catch(warn)
  }

  /** Finds out what a “changed” means. */
  const ask = async () => {
    const before = known
    const session = await query().catch(() => undefined)
    if (known !== before || isClosed) return
    if (!session || session.sub !== before.sub) {
      if (before.sub || session) events.emit(before.sub ? 'userSignedOut' : 'userSignedIn')
      return
    }
    if (session.sid !== before.sid) {
      emptyAlarms = 0
      events.emit('userSessionChanged')
    } else if (++emptyAlarms >= 2) {
      // A frame that cannot see the provider's cookie says “changed” for ever.
      return logger?.warn('session monitoring unavailable')
    }
    await watch(session)
  }
  const unwatch = () => {
    known = {}
    emptyAlarms = 0
    void frame?.then((loaded) => loaded?.stop())
    if (monitorAnonymousSession) pause = setTimeout(watchWhoeverIsThere, pauseAfterSignOut)
  }

  const stopListening = [events.on('userLoaded', watchUser), events.on('userUnloaded', unwatch)]
  if (user) watchUser(user)
  else if (monitorAnonymousSession) watchWhoeverIsThere()
  return () => {
    isClosed = true
    clearTimeout(pause)
    for (const stop of stopListening) stop()
    void frame?.then((loaded) => loaded?.remove())
  }
}
