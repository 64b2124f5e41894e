/** The longest time between two looks at the clock, s: a computer that slept is behind by no more. */
const longestTick = 5

/** Now, in whole seconds since 1970 as tokens count them. */
export const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

/** Rings once, when its time is over. */
export interface Alarm {
  /** Rings in so many seconds, at least one; the time that it is set to already is not set anew. */
  set: (inSeconds: number) => void
  cancel: () => void
  /** Rings now if it should have, because the computer was asleep or the tab throttled. */
  check: () => void
}

/**
 * An alarm that looks at the clock every 5 s, or more often if less remains. The clock on the wall may be set back, and the
 * page's own stands still while the computer sleeps: it goes by the one that is further on.
 */
export function createAlarm(ring: () => void): Alarm {
  let dueAt: number | undefined
  let dueAtOfPage = 0
  let ticks: ReturnType<typeof setInterval> | undefined

  const cancel = () => {
    clearInterval(ticks)
    dueAt = undefined
  }
  const check = () => {
    if (dueAt === undefined || (dueAt > nowInSeconds() && dueAtOfPage > performance.now())) return
    cancel()
    ring()
  }
  const set = (inSeconds: number) => {
    const wait = Math.max(1, Math.floor(inSeconds))
    if (dueAt === nowInSeconds() + wait) return
    cancel()
    dueAt = nowInSeconds() + wait
    dueAtOfPage = performance.now() + wait * 1000
    ticks = setInterval(check, Math.min(wait, longestTick) * 1000)
  }
  return { set, cancel, check }
}
