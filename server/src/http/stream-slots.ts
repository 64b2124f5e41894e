import { streamsExhausted, tooManyStreams } from './problems.ts'

/** The maximum number of open streams of a kind in this process: per caller, and in total. */
export interface StreamLimits {
  perCaller: number
  total: number
}

const defaultLimits: StreamLimits = { perCaller: 20, total: 200 }

/** Acquires a slot for a stream; returns a function that releases it. Throws 429 and 503. */
export type AcquireSlot = (caller: string) => () => void

export function createStreamSlots({ perCaller, total }: StreamLimits = defaultLimits): AcquireSlot {
  const open = new Map<string, number>()
  let openCount = 0
  return (caller) => {
    const callerCount = open.get(caller) ?? 0
    if (callerCount >= perCaller) throw tooManyStreams(callerCount)
    if (openCount >= total) throw streamsExhausted()
    open.set(caller, callerCount + 1)
    openCount++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      openCount--
      const left = (open.get(caller) ?? 1) - 1
      if (left > 0) open.set(caller, left)
      else open.delete(caller)
    }
  }
}
