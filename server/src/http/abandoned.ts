import type { Socket } from 'node:net'
import type { Context } from './environment.ts'
import { clientGone } from './problems.ts'

// A connection waits in the queue of the operating system until the process accepts it, one per turn of the event loop.
// On a process without CPU time that takes longer than clients wait, and then most of the queue is connections whose
// clients have gone. Their requests cost as much as any others unless the end of the connection is read first.

const connectionsWithRequests = new WeakSet<Socket>()

/** Returns true once for each connection: only its first request can have waited in the queue of connections. */
export function isFirstRequest(socket: Socket): boolean {
  if (connectionsWithRequests.has(socket)) return false
  connectionsWithRequests.add(socket)
  return true
}

/**
 * Reports whether the client has closed its connection, or its side of it, which Node does not distinguish. Resolves in
 * the next turn of the event loop, which reads what follows the request.
 */
export async function isGone(socket: Socket): Promise<boolean> {
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return !socket.writable
}

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
