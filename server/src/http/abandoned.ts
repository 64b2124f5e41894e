import type { Context } from './environment.ts'
import { clientGone } from './problems.ts'

/**
 * Throws if the client has closed the connection, to save the work for its request. Logs and metrics have 499, as in
 * nginx.
 */
export function rejectAbandoned(c: Context): void {
  const { outgoing } = c.env
  if (outgoing.destroyed) throw clientGone()
}

/** Waits for data from the client; the request does not count as load while it waits. */
export function whileClientSends<T>(c: Context, wait: () => Promise<T>): Promise<T> {
  const slot = c.get('loadSlot')
  return slot ? slot.pauseWhile(wait) : wait()
}
