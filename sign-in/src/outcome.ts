import { signinError } from './errors.ts'

/** Settles the outcome once; later calls have no effect. */
export interface Outcome<T> {
  succeed: (value: T) => void
  fail: (error: unknown) => void
}

/**
 * Returns a promise with exactly one outcome. `start` begins the work and returns its cleanup, which runs on every
 * outcome, including an abort by `signal` (`aborted`).
 */
export function settleOnce<T>(signal: AbortSignal | undefined, start: (outcome: Outcome<T>) => () => void): Promise<T> {
  let abort = () => {}
  let cleanUp = () => {}
  const outcome = new Promise<T>((succeed, fail) => {
    abort = () => fail(signinError('aborted', signal?.reason))
    cleanUp = start({ succeed, fail })
  })
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return outcome.finally(() => {
    signal?.removeEventListener('abort', abort)
    cleanUp()
  })
}

/** Waits for work that cannot be cancelled, until `signal` aborts the wait. */
export const rejectOnAbort = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  settleOnce<T>(signal, ({ succeed, fail }) => {
    work.then(succeed, fail)
    return () => {}
  })
