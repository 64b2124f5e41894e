import { signinError } from './errors.ts'

/** The functions that settle a promise. Only the first call has an effect. */
export interface Resolvers<T> {
  resolve: (value: T) => void
  reject: (error: unknown) => void
}

/**
 * Creates a promise that `start` settles, or that rejects with `aborted` when `signal` aborts. `start` returns a
 * cleanup function, which runs once the promise has settled.
 */
export function createAbortablePromise<T>(
  signal: AbortSignal | undefined,
  start: (resolvers: Resolvers<T>) => () => void,
): Promise<T> {
  let abort = () => {}
  let cleanUp = () => {}
  const promise = new Promise<T>((resolve, reject) => {
    abort = () => reject(signinError('aborted', signal?.reason))
    cleanUp = start({ resolve, reject })
  })
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return promise.finally(() => {
    signal?.removeEventListener('abort', abort)
    cleanUp()
  })
}

/** Waits for work that cannot be cancelled. Rejects early with `aborted` when `signal` aborts. */
export const rejectOnAbort = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  createAbortablePromise<T>(signal, ({ resolve, reject }) => {
    work.then(resolve, reject)
    return () => {}
  })
