import { type SigninError, signinErrorOf } from '../errors.ts'
import type { Emitter } from '../events.ts'
import type { User } from '../user.ts'

/** Renews on every `accessTokenExpiring` while it is on. */
export interface AutomaticRenewal {
  start: () => void
  stop: () => void
  /** Tries again now what failed for want of a network. */
  retry: () => void
}

const passing = ['network_error', 'timeout', 'frame_timeout']

/** Every failure is told as `silentRenewError`; another attempt is made when the page wakes up, and no sooner. */
export function createAutomaticRenewal(events: Emitter, renew: () => Promise<User | null>): AutomaticRenewal {
  let stopListening: (() => void) | undefined
  let failure: SigninError | undefined

  const attempt = async () => {
    failure = undefined
    try {
      await renew()
    } catch (error) {
      failure = signinErrorOf(error)
      events.emit('silentRenewError', failure)
    }
  }
  return {
    start: () => {
      stopListening ??= events.on('accessTokenExpiring', attempt)
    },
    stop: () => {
      stopListening?.()
      stopListening = undefined
      failure = undefined
    },
    retry: () => {
      if (failure && passing.includes(failure.code)) void attempt()
    },
  }
}
