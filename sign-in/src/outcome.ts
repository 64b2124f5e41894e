import { signinError } from './errors.ts'

/** Reaches the outcome, once; later attempts change nothing. */
export interface Outcome<T> {
  succeed: (value: T) => void
  fail: (error: unknown) => void
}

/**
 * A promise with exactly one outcome. `start` begins what leads to it and answers with what undoes that; it is undone
 * when the outcome is there, also when `signal` fires first (`aborted`).
 */
export function oneOutcome<T>(signal: AbortSignal | undefined, start: (outcome: Outcome<T>) => () => void): Promise<T> {
  let abort = () => {}
  let undo = () => {}
  const outcome = new Promise<T>((succeed, fail) => {
    abort = () => fail(signinError('aborted', signal?.reason))
    undo = start({ succeed, fail })
  })
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return outcome.finally(() => {
    signal?.removeEventListener('abort', abort)
    undo()
  })
}

/** The outcome of work that cannot be stopped, for one who may stop waiting. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  oneOutcome<T>(signal, ({ succeed, fail }) => {
    work.then(succeed, fail)
    return () => {}
  })
