import { setImmediate } from 'node:timers/promises'

/** How long one call may block the event loop before yielding. A single check is never interrupted. */
const sliceMs = 10

/**
 * Call between the parts of long work: yields to the event loop if the current slice is used up. Returns true if it
 * did.
 */
export type YieldIfDue = () => Promise<boolean>

export function createYielder(): YieldIfDue {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return false
    await setImmediate()
    since = performance.now()
    return true
  }
}

/** Returns a function that reports whether a call has exceeded its time, in milliseconds. */
export function createDeadline(milliseconds: number): () => boolean {
  const until = performance.now() + milliseconds
  return () => performance.now() > until
}
