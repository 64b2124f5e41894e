import { signinError } from './errors.ts'

/** Settles a promise; only the first call has an effect. */
export interface Outcome<T> {
  succeed: (value: T) => void
  fail: (error: unknown) => void
}

/**
 * Returns a promise that the work of `start` settles. `start` returns a cleanup function, which runs on every outcome,
 * also when `signal` aborts the work and the promise rejects with `aborted`.
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
