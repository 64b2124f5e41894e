import { createAlarm } from '../clock.ts'
import type { Emitter } from '../events.ts'
import type { User } from '../user.ts'

/** Emits events before an access token expires and when it has expired. */
export interface Expiry {
  watch: (user: User) => void
  cancel: () => void
  /** Emits overdue events now. */
  check: () => void
  /** Cancels, and watches no user from now on. */
  close: () => void
}

/**
 * `noticeSeconds` is the lead time. A token with less time left is reported after 1 s; an expired token, as expired.
 */
export function createExpiry(events: Emitter, noticeSeconds: number): Expiry {
  const expiring = createAlarm(() => events.emit('accessTokenExpiring'))
  const expired = createAlarm(() => events.emit('accessTokenExpired'))
  let isClosed = false
  const cancel = () => {
    expiring.cancel()
    expired.cancel()
  }
  return {
    watch: ({ access_token, expires_in }) => {
      if (isClosed || !access_token || expires_in === undefined) return cancel()
      if (expires_in > 0) expiring.set(expires_in - noticeSeconds)
      else expiring.cancel()
      expired.set(expires_in + 1)
    },
    cancel,
    check: () => {
      expiring.check()
      expired.check()
    },
    close: () => {
      isClosed = true
      cancel()
    },
  }
}
