/** The limits of concurrent work; decision 0038 has the measurements behind them. */
export interface LoadLimits {
  /** The number of requests that are always admitted, since so few form no queue. */
  alwaysAdmitted: number
  /** The maximum number of requests, however fast their responses are. */
  maxAdmitted: number
  /** Requests between both numbers are rejected if they would wait longer than this. */
  maxWaitMs: number
  /** The minimum time to measure before such rejections: a pause of the database or the process is no overload. */
  minMeasuredMs: number
}

const loadLimits: LoadLimits = { alwaysAdmitted: 32, maxAdmitted: 1_000, maxWaitMs: 1_000, minMeasuredMs: 250 }

/** The slot of one request among those in progress. */
export interface LoadSlot {
  /** Ends the request; idempotent. */
  release: () => void
  /** Waits without counting the request as in progress, such as for data of its client. */
  pauseWhile: <T>(wait: () => Promise<T>) => Promise<T>
}

/** Reports whether monitoring requests a path. */
export const isForMonitoring = (path: string): boolean =>
  path === '/healthz' || path === '/readyz' || path === '/metrics'

/** Reports whether a path does not count as load and is never rejected: those of monitoring and of files. */
export const isExemptFromLoad = (path: string): boolean => isForMonitoring(path) || path.startsWith('/app/')

export interface LoadLimiter {
  /** Admits a request; returns undefined if it would wait too long. */
  admit: () => LoadSlot | undefined
}

/** The rate covers the current window and the one before it. */
const windowMs = 500

/**
 * Limits the requests in progress by the time that the last one would wait, estimated by the rate of responses
 * (Little's law). A fixed number would mean no wait for fast calls and a long one for slow calls. While `isInOutage`
 * returns true, requests wait for the database, which says nothing about the rate.
 */
export function createLoadLimiter(
  limits: LoadLimits = loadLimits,
  now: () => number = () => performance.now(),
  isInOutage: () => boolean = () => false,
): LoadLimiter {
  const { alwaysAdmitted, maxAdmitted, maxWaitMs, minMeasuredMs } = limits
  let inProgress = 0
  /** Undefined without a queue, when the rate is meaningless. */
  let rate: Rate | undefined

  function isOverloaded(): boolean {
    if (inProgress >= maxAdmitted) return true
    if (inProgress < alwaysAdmitted) return false
    if (isInOutage()) {
      rate = undefined
      return false
    }
    rate ??= createRate(now())
    const { responseCount, ms } = rate.read(now())
    return ms >= minMeasuredMs && inProgress * ms > responseCount * maxWaitMs
  }

  function end() {
    inProgress -= 1
    rate?.count(now())
    // Well below the number at which measuring starts, so that the rate is kept through a long overload.
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
    const windowCount = Math.floor((timeMs - startedAt) / windowMs)
    if (windowCount === 0) return
    previous = windowCount === 1 ? current : 0
    current = 0
    startedAt += windowCount * windowMs
  }
  return {
    count: (timeMs: number) => {
      roll(timeMs)
      current += 1
    },
    /** Returns the number of responses in the last `ms`. */
    read: (timeMs: number) => {
      roll(timeMs)
      const ms = timeMs - startedAt + (previous === undefined ? 0 : windowMs)
      return { responseCount: current + (previous ?? 0), ms }
    },
  }
}
