import { setImmediate } from 'node:timers/promises'

/** So long one call may keep the event loop at a time, and with it all others. One question is never interrupted. */
const sliceMs = 10

/** Called between the parts of long work: lets others have their turn where this one was long. True where it did. */
export type TakeTurns = () => Promise<boolean>

export function takingTurns(): TakeTurns {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return false
    await setImmediate()
    since = performance.now()
    return true
  }
}

/** Tells when a call has had its time, in milliseconds: what it tries or lists is not worth more. */
export function deadlineIn(milliseconds: number): () => boolean {
  const until = performance.now() + milliseconds
  return () => performance.now() > until
}
