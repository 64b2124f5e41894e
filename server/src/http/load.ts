/** The limits of concurrent work; decision 0038 has the measurements behind them. */
export interface LoadLimits {
  /** The number of requests that are always admitted: this few form no queue. */
  alwaysAdmitted: number
  /** The maximum number of requests, however fast they are answered. */
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
 * Bounds the number of requests in progress by the wait of the last one, through the rate of answers (Little's law). A
 * fixed number would be an instant for fast calls and too long for slow ones.
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
    const { answered, ms } = rate.read(now())
    return ms >= measuredMs && inProgress * ms > answered * maxWaitMs
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

function createRate(index: number) {
  let startedAt = index
  let current = 0
  let previous: number | undefined
  const roll = (index: number) => {
    const windows = Math.floor((index - startedAt) / windowMs)
    if (windows === 0) return
    previous = windows === 1 ? current : 0
    current = 0
    startedAt += windows * windowMs
  }
  return {
    count: (index: number) => {
      roll(index)
      current += 1
    },
    /** Returns how many were answered in the last `ms`. */
    read: (index: number) => {
      roll(index)
      return { answered: current + (previous ?? 0), ms: index - startedAt + (previous === undefined ? 0 : windowMs) }
    },
  }
}
