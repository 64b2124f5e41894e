import { avatarBusy } from './problems.ts'

/** Runs work alone, after the work that waits already. */
export type Enqueue = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a queue in which at most `maxWaiting` wait for their turn; it throws 503 for more. */
export function createQueue(maxWaiting: number): Enqueue {
  let last: Promise<unknown> = Promise.resolve()
  let count = 0
  return async (work) => {
    if (count > maxWaiting) throw avatarBusy()
    count++
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn.finally(() => {
      count--
    })
  }
}
