import { createAlarm } from '../clock.ts'
import { signinErrorOf } from '../errors.ts'
import type { Emitter } from '../events.ts'
import type { User } from '../user.ts'
import { isAway } from './wake.ts'

/** Renews on every `accessTokenExpiring` while it is on. */
export interface AutomaticRenewal {
  start: () => void
  stop: () => void
  /** Makes the attempt now that was put off, or that failed for a reason that may be gone. */
  wake: () => void
}

/** These may be gone the next time; whatever else the provider says, it will say again. */
const passing = ['network_error', 'timeout', 'frame_timeout', 'http_error', 'server_error', 'temporarily_unavailable']
/** How long after each failure the next attempt is made, s; there are no more than these. */
const pauses = [5, 10, 20, 40]
/** How long before the expiry a frame is no longer put off, s. */
const lastCall = 10

/**
 * Every failure is told as `silentRenewError`. One that may pass is followed by a few more attempts while the token is
 * good, and by one whenever the page wakes up. A frame, for which there is no time in the background, is put off.
 */
export function createAutomaticRenewal(
  events: Emitter,
  getUser: () => User | null,
  renew: () => Promise<User | null>,
): AutomaticRenewal {
  let stopListening: (() => void) | undefined
  /** The access token that is to be renewed. */
  let token: User['access_token']
  let failures = 0
  let isWaiting = false

  /** Undefined where somebody signed out or in, or another tab was first. */
  const userToRenew = () => {
    const user = getUser()
    return token && user?.access_token === token ? user : undefined
  }
  const alarm = createAlarm(() => {
    const user = userToRenew()
    if (user && !(failures && user.expired)) void attempt()
  })
  const settle = () => {
    alarm.cancel()
    isWaiting = false
  }
  const attempt = async () => {
    settle()
    try {
      await renew()
      token = undefined
    } catch (error) {
      const failure = signinErrorOf(error)
      if (passing.includes(failure.code)) attemptIn(pauses[failures++])
      events.emit('silentRenewError', failure)
    }
  }
  /** Without a time it waits for the page to wake up. */
  const attemptIn = (seconds: number | undefined) => {
    const user = userToRenew()
    isWaiting = true
    if (!user || seconds === undefined) return
    const wait = isFrameAway(user) ? Math.max(seconds, Number(user.expires_in) - lastCall) : seconds
    if (wait > 0) alarm.set(wait)
    else void attempt()
  }
  return {
    start: () => {
      stopListening ??= events.on('accessTokenExpiring', () => {
        const expiring = getUser()?.access_token
        // It is told once more whenever somebody asks for the user: that must not begin a new round.
        if (expiring === token) return
        token = expiring
        failures = 0
        attemptIn(0)
      })
    },
    stop: () => {
      stopListening?.()
      stopListening = undefined
      token = undefined
      settle()
    },
    wake: () => {
      const user = isWaiting && userToRenew()
      if (user && !isFrameAway(user)) void attempt()
    },
  }
}

const isFrameAway = ({ refresh_token }: User): boolean => !refresh_token && isAway()
