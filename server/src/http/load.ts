/** The limits of concurrent work; decision 0038 has the measurements behind them. */
export interface LoadLimits {
  /** The number of requests that are always admitted: this few form no queue. */
  alwaysAdmitted: number
  /** The maximum number of requests, however fast their responses are. */
  mostAdmitted: number
  /** Further requests are rejected if they would wait longer. */
  maxWaitMs: number
  /** Rejections by time start after this long: a pause of the database or of the process is no overload. */
  measuredMs: number
}

const loadLimits: LoadLimits = { alwaysAdmitted: 32, mostAdmitted: 1_000, maxWaitMs: 1_000, measuredMs: 250 }

/** The place of one request among those in progress. */
export interface LoadSlot {
  /** Ends the work; idempotent. */
  release: () => void
  /** Excludes the request while it waits for its client. */
  pauseWhile: <T>(wait: () => Promise<T>) => Promise<T>
}

export interface Load {
  /** Undefined if the request would wait too long. */
  admit: () => LoadSlot | undefined
}

/** The rate covers the current window and the one before it. */
const windowMs = 500

/**
 * Bounds the number of requests in progress by the wait of the last one, through the rate of responses (Little's law).
 * A fixed number would be an instant for fast calls and too long for slow ones.
 */
export function createLoad(limits: LoadLimits = loadLimits, now: () => number = () => performance.now()): Load {
  const { alwaysAdmitted, mostAdmitted, maxWaitMs, measuredMs } = limits
  let inProgress = 0
  /** The rate is meaningless before there is a queue. */
  let rate: Rate | undefined

  function isOverloaded(): boolean {
    if (inProgress >= mostAdmitted) return true
    if (inProgress < alwaysAdmitted) return false
    rate ??= createRate(now())
    const { responses, ms } = rate.read(now())
    return ms >= measuredMs && inProgress * ms > responses * maxWaitMs
  }

  function end() {
    inProgress -= 1
    rate?.count(now())
    // Well below the start, so that the rate is kept through a long overload.
    if (inProgress <= alwaysAdmitted / 4) rate = undefined
  }

  return {
    admit: () => {
      if (isOverloaded()) return undefined
      inProgress += 1
      let isCounted = true
      const release = () => {
        if (isCounted) end()
        isCounted = false
      }
      return {
        release,
        pauseWhile: async (wait) => {
          if (!isCounted) return wait()
          inProgress -= 1
          isCounted = false
          try {
            return await wait()
          } finally {
            inProgress += 1
            isCounted = true
          }
        },
      }
    },
  }
}

type Rate = ReturnType<typeof createRate>

function createRate(timeMs: number) {
  let startedAt = timeMs
  let current = 0
  let previous: number | undefined
  const roll = (timeMs: number) => {
    const windows = Math.floor((timeMs - startedAt) / windowMs)
    if (windows === 0) return
    previous = windows === 1 ? current : 0
    current = 0
    startedAt += windows * windowMs
  }
  return {
    count: (timeMs: number) => {
      roll(timeMs)
      current += 1
    },
    /** Returns the number of responses in the last `ms`. */
    read: (timeMs: number) => {
      roll(timeMs)
      return { responses: current + (previous ?? 0), ms: timeMs - startedAt + (previous === undefined ? 0 : windowMs) }
    },
  }
}
