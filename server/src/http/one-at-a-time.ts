import { callInProgress } from './problems.ts'

/** Runs a call unless the caller has another one of the same name in progress; then it throws 429. */
type RunAlone = <T>(callerId: string | undefined, run: () => Promise<T>) => Promise<T>

/** Creates the register of calls that a caller may send only one at a time, in this process. */
export function createCallsInProgress() {
  const calls = new Set<string>()
  return {
    limit: (name: string | undefined): RunAlone => {
      if (name === undefined) return (_callerId, run) => run()
      return async (callerId, run) => {
        const call = `${name} ${callerId}`
        if (calls.has(call)) throw callInProgress()
        calls.add(call)
        try {
          return await run()
        } finally {
          calls.delete(call)
        }
      }
    },
  }
}
