import { setImmediate } from 'node:timers/promises'

/** The time that one call may block the event loop before it yields. A single check is never interrupted. */
const sliceMs = 10

/**
 * Yields to the event loop if the current slice is used up, and returns whether it did. To be called between the parts
 * of long work.
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
