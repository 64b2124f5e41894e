import { createAlarm } from '../clock.ts'
import { toSigninError } from '../errors.ts'
import type { Emitter } from '../events.ts'
import type { User } from '../user.ts'
import { isPageInactive } from './wake.ts'

/** Renews on every `accessTokenExpiring` while started. */
export interface AutomaticRenewal {
  start: () => void
  stop: () => void
  /** Makes a postponed attempt now, or retries one that failed temporarily. */
  wake: () => void
}

/** Temporary errors; the provider would repeat any other error. */
const temporaryErrors = [
  'network_error',
  'timeout',
  'frame_timeout',
  'http_error',
  'server_error',
  'temporarily_unavailable',
]
/** The delays before each retry, s; there are no further retries. */
const retryDelays = [5, 10, 20, 40]
/** The time before expiry from which a frame is no longer postponed, s. */
const frameDeadline = 10

/**
 * Reports every failure as `silentRenewError`. A temporary failure is retried a few times while the token is valid, and
 * whenever the page wakes up. A frame gets no time in the background and is postponed.
 */
export function createAutomaticRenewal(
  events: Emitter,
  getUser: () => User | null,
  renew: () => Promise<User | null>,
): AutomaticRenewal {
  let stopListening: (() => void) | undefined
  /** The access token to renew. */
  let token: User['access_token']
  let failures = 0
  let isWaiting = false

  /** Returns undefined if the user changed or another tab has renewed first. */
  const userToRenew = () => {
    const user = getUser()
    return token && user?.access_token === token ? user : undefined
  }
  const alarm = createAlarm(() => {
    const user = userToRenew()
    if (user && !(failures && user.expired)) void attempt()
  })
  const reset = () => {
    alarm.cancel()
    isWaiting = false
  }
  const attempt = async () => {
    reset()
    try {
      await renew()
      token = undefined
    } catch (error) {
      const failure = toSigninError(error)
      if (temporaryErrors.includes(failure.code)) attemptIn(retryDelays[failures++])
      events.emit('silentRenewError', failure)
    }
  }
  /** Without a delay, waits for the page to wake up. */
  const attemptIn = (seconds: number | undefined) => {
    const user = userToRenew()
    isWaiting = true
    if (!user || seconds === undefined) return
    const wait = mustPostponeFrame(user) ? Math.max(seconds, Number(user.expires_in) - frameDeadline) : seconds
    if (wait > 0) alarm.set(wait)
    else void attempt()
  }
  return {
    start: () => {
      stopListening ??= events.on('accessTokenExpiring', () => {
        const expiring = getUser()?.access_token
        // `getUser` can emit the event again, which must not start a new round.
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
      reset()
    },
    wake: () => {
      const user = isWaiting && userToRenew()
      if (user && !mustPostponeFrame(user)) void attempt()
    },
  }
}

const mustPostponeFrame = ({ refresh_token }: User): boolean => !refresh_token && isPageInactive()
