import { setImmediate } from 'node:timers/promises'

/** The time that a call may block the event loop before it yields. */
const sliceMs = 10

/**
 * Returns a function to call between the parts of long work. It yields to the event loop if the current time slice is
 * used up, and reports whether it did.
 */
export function createYielder(): () => Promise<boolean> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return false
    await setImmediate()
    since = performance.now()
    return true
  }
}

/** Returns a function that reports whether the time has passed. */
export function createDeadline(milliseconds: number): () => boolean {
  const deadline = performance.now() + milliseconds
  return () => performance.now() > deadline
}
