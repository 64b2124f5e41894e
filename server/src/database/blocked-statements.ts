/** The SQLSTATE of a statement that waited too long for a lock. */
const lockNotAvailable = '55P03'
/** A statement counts as blocked for this time after a lock timeout, unless one succeeds before. */
const blockedMs = 5_000

/** The start of a statement: it is refused, counts as a trial of a blocked one, or is like any other. */
type Start = 'refused' | 'trial' | 'usual'

/** Limits how many connections of a pool wait for the same locks. */
export interface BlockedStatements {
  /** `site` identifies the statement by its place in the code. Each start that is not refused must be ended. */
  start: (site: object) => Start
  end: (site: object, start: Start, failure: unknown) => void
}

/**
 * After a lock timeout, at most `maxTrials` connections run the blocked statements, until one succeeds; further ones are
 * refused at once. Otherwise all connections would soon wait for the same lock, and all other statements for a connection.
 */
export function createBlockedStatements(maxTrials: number): BlockedStatements {
  const blockedUntil = new Map<object, number>()
  let trialCount = 0

  function start(site: object): Start {
    if (blockedUntil.size === 0) return 'usual'
    const until = blockedUntil.get(site)
    if (until === undefined) return 'usual'
    if (until < performance.now()) {
      blockedUntil.delete(site)
      return 'usual'
    }
    if (trialCount >= maxTrials) return 'refused'
    trialCount++
    return 'trial'
  }

  function end(site: object, start: Start, failure: unknown) {
    if (start === 'trial') trialCount--
    if (failure === undefined) {
      if (start === 'trial') blockedUntil.delete(site)
    } else if ((failure as { code?: string }).code === lockNotAvailable) {
      const now = performance.now()
      for (const [other, until] of blockedUntil) if (until < now) blockedUntil.delete(other)
      blockedUntil.set(site, now + blockedMs)
    }
  }

  return { start, end }
}
