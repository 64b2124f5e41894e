/** The longest interval between clock checks, s; it bounds the delay after sleep. */
const maxTickSeconds = 5

/** Returns the time in whole seconds since 1970, as in tokens. */
export const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

/** A one-shot timer. */
export interface Alarm {
  /** Fires in this many seconds, at least one; setting the same due time again has no effect. */
  set: (inSeconds: number) => void
  cancel: () => void
  /** Fires now if overdue because the computer slept or the tab was throttled. */
  check: () => void
}

/**
 * Creates an alarm that checks the clock every 5 s, or more often if less time remains. The wall clock may be set back,
 * and the page's clock stops during sleep: the alarm follows whichever is ahead.
 */
export function createAlarm(onDue: () => void): Alarm {
  let dueAt: number | undefined
  let dueAtPageTime = 0
  let ticks: ReturnType<typeof setInterval> | undefined

  const cancel = () => {
    clearInterval(ticks)
    dueAt = undefined
  }
  const check = () => {
    if (dueAt === undefined || (dueAt > nowInSeconds() && dueAtPageTime > performance.now())) return
    cancel()
    onDue()
  }
  const set = (inSeconds: number) => {
    const wait = Math.max(1, Math.floor(inSeconds))
    if (dueAt === nowInSeconds() + wait) return
    cancel()
    dueAt = nowInSeconds() + wait
    dueAtPageTime = performance.now() + wait * 1000
    ticks = setInterval(check, Math.min(wait, maxTickSeconds) * 1000)
  }
  return { set, cancel, check }
}
