import type { Context } from './environment.ts'
import { clientGone } from './problems.ts'

/**
 * Ends a request whose client has closed the connection, before wasted work. Logs and metrics report it as 499, like
 * those of nginx.
 */
export function rejectAbandoned(c: Context): void {
  const { outgoing } = c.env
  if (outgoing.destroyed) throw clientGone()
}

/** Waits for the client's data, during which the request does not count as load. */
export function whileClientSends<T>(c: Context, wait: () => Promise<T>): Promise<T> {
  const slot = c.get('place')
  return slot ? slot.pauseWhile(wait) : wait()
}
