import { createAlarm } from '../clock.ts'
import type { Emitter } from '../events.ts'
import type { User } from '../user.ts'

/** Tells before an access token expires, and when it has. */
export interface Expiry {
  watch: (user: User) => void
  cancel: () => void
  /** Tells now what should have been told. */
  check: () => void
}

/** `noticeSeconds`: how long before. A token that has less left is told of after a second, one that expired as expired. */
export function createExpiry(events: Emitter, noticeSeconds: number): Expiry {
  const expiring = createAlarm(() => events.emit('accessTokenExpiring'))
  const expired = createAlarm(() => events.emit('accessTokenExpired'))
  const cancel = () => {
    expiring.cancel()
    expired.cancel()
  }
  return {
    watch: ({ access_token, expires_in }) => {
      if (!access_token || expires_in === undefined) return cancel()
      if (expires_in > 0) expiring.set(expires_in - noticeSeconds)
      else expiring.cancel()
      expired.set(expires_in + 1)
    },
    cancel,
    check: () => {
      expiring.check()
      expired.check()
    },
  }
}
