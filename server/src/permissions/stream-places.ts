import { Problem } from '../http/problem.ts'

/** How many streams may be open in this process: of one caller, and of all. Each reads every commit. */
export interface StreamLimits {
  ofCaller: number
  ofAll: number
}

const usual: StreamLimits = { ofCaller: 20, ofAll: 200 }

/** Takes a place for a stream; what it returns gives it back. Throws 429 and 503. */
export type TakePlace = (caller: string) => () => void

export function createPlaces({ ofCaller, ofAll }: StreamLimits = usual): TakePlace {
  const open = new Map<string, number>()
  let all = 0
  return (caller) => {
    const own = open.get(caller) ?? 0
    if (own >= ofCaller) throw tooMany(429, 'too-many-streams', `You have ${own} streams open already; end one first.`)
    if (all >= ofAll) throw tooMany(503, 'streams-exhausted', 'This server has as many streams open as it can.')
    open.set(caller, own + 1)
    all++
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      all--
      const left = (open.get(caller) ?? 1) - 1
      if (left > 0) open.set(caller, left)
      else open.delete(caller)
    }
  }
}

const tooMany = (status: number, code: string, message: string) =>
  new Problem(status, code, message, { headers: { 'Retry-After': '30' } })
