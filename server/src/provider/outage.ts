import { lastUnavailableAt } from '../database/pool.ts'
import type { Sql } from '../database/sql.ts'
import * as store from './store.ts'

/**
 * The time in which a spent refresh token still returns its unused successor, since the response may have been lost. A
 * longer time would help a thief more than users (RFC 9700, section 4.14.2).
 */
export const graceSeconds = 10

/**
 * Tracks the last outage of refresh token rotation. A client whose response was lost cannot retry while the server or
 * its database is unavailable, so that time is excluded from the grace period.
 */
export interface Outage {
  /** Ends the current outage, if any. Each token request must call it first. */
  end: () => Promise<void>
  /**
   * Reports whether a successor was issued (in seconds since 1970) at most `graceSeconds` before the outage, and the
   * outage ended at most `graceSeconds` ago.
   */
  covers: (issuedAt: number) => Promise<boolean>
}

/**
 * Creates the tracker of an issuer. A process starts in an outage, since it cannot know how long the server was down.
 */
export function createOutageTracker(sql: Sql, issuer: store.IssuerName): Outage {
  let ended: { atMs: number; lastIssue: Promise<number | undefined> } | undefined

  async function end() {
    if (ended && lastUnavailableAt(sql) > ended.atMs) ended = undefined
    ended ??= { atMs: performance.now(), lastIssue: store.findLastIssuedAt(sql, issuer) }
    await ended.lastIssue.catch((error) => {
      ended = undefined
      throw error
    })
  }

  return {
    end,
    covers: async (issuedAt) => {
      if (!ended || performance.now() - ended.atMs > graceSeconds * 1000) return false
      const lastIssue = await ended.lastIssue
      return lastIssue !== undefined && lastIssue - issuedAt <= graceSeconds
    },
  }
}
