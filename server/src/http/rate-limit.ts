import type { RateLimit } from '@passport/contract/endpoint'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Sql } from '../database/sql.ts'
import { tooManyRequests } from './problems.ts'
import { subscriberOf, type Visit } from './visit.ts'

/** Counts a request of a key and returns the rate limit headers. Throws 429 above the limit. */
export type Consume = (key: string) => Promise<Record<string, string>>

/** Creates the limiter of an endpoint, which counts in this process only; that suffices against a flood. */
export const createLimiter = ({ requests, perSeconds }: RateLimit): Consume =>
  createConsumer(new RateLimiterMemory({ points: requests, duration: perSeconds }))

/** At most `requests` in `perSeconds` of one key; all processes count together, by `name`. */
export interface SharedLimit {
  name: string
  requests: number
  perSeconds: number
}

/** At most `requests` in `perSeconds` from one IP address. */
export type AddressLimit = SharedLimit

/** Creates a limit for anonymous requests that store data: enough for a company behind one address, but no flood. */
export const anonymousLimit = (name: string): AddressLimit => ({ name, requests: 300, perSeconds: 60 })

/** Creates a limiter by any key, which counts in a table that all processes share. */
export const createSharedCounter = (sql: Sql, { name, requests, perSeconds }: SharedLimit): Consume =>
  createConsumer(createSharedLimiter(sql, name, requests, perSeconds))

/** Creates a limiter by IP address, which counts in a table that all processes share. It throws like `Consume`. */
export function createAddressLimiter(sql: Sql, limit: AddressLimit) {
  const consume = createSharedCounter(sql, limit)
  return ({ ip }: Pick<Visit, 'ip'>) => consume(subscriberOf(ip))
}

function createConsumer(limiter: RateLimiterMemory | RateLimiterPostgres): Consume {
  const policy = { 'RateLimit-Policy': `"default";q=${limiter.points};w=${limiter.duration}` }
  return async (key) => {
    try {
      return { ...policy, ...formatRateLimit(await limiter.consume(key)) }
    } catch (result) {
      if (!(result instanceof RateLimiterRes)) throw result
      throw tooManyRequests(secondsLeftOf(result), { headers: { ...policy, ...formatRateLimit(result) } })
    }
  }
}

/** Counts failures across processes. */
export interface FailureCounter {
  /**
   * Counts an attempt before it is checked, so that concurrent attempts cannot all pass. Returns 0 if the attempt may
   * be checked, otherwise the seconds until the key is unlocked.
   */
  begin: (key: string) => Promise<number>
  /** Records a failed attempt; returns true if it was the last one and locks the key. */
  fail: (key: string) => Promise<boolean>
  /** Records a successful attempt, which restarts the count. */
  reset: (key: string) => Promise<void>
  /** Removes an attempt that did not fail or was not checked; earlier ones still count. */
  cancel: (key: string) => Promise<void>
}

/**
 * Creates a counter that locks a key for `lockSeconds` after `maxFailures` failures within that time. It counts in a
 * table that all processes share.
 */
export function createFailureCounter(sql: Sql, name: string, maxFailures: number, lockSeconds: number): FailureCounter {
  const limiter = createSharedLimiter(sql, name, maxFailures, lockSeconds)
  return {
    begin: async (key) => {
      try {
        await limiter.consume(key)
        return 0
      } catch (result) {
        if (!(result instanceof RateLimiterRes)) throw result
        return Math.max(1, secondsLeftOf(result))
      }
    },
    fail: async (key) => {
      const state = await limiter.get(key)
      const isLast = state !== null && state.consumedPoints >= maxFailures
      if (isLast) await limiter.block(key, lockSeconds)
      return isLast
    },
    reset: async (key) => {
      await limiter.delete(key)
    },
    cancel: async (key) => {
      await limiter.reward(key)
    },
  }
}

/** Deletes at most `limit` expired counters; returns their number. */
export async function sweepCounters(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from rate_limits where key in (select key from rate_limits where expire <= ${Date.now()} limit ${limit})`
  return removed.count
}

const createSharedLimiter = (sql: Sql, name: string, points: number, seconds: number) =>
  new RateLimiterPostgres({
    storeClient: toQueryable(sql),
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: seconds,
  })

/** Adapts our pool to the interface that the limiter expects. */
function toQueryable(sql: Sql) {
  return {
    query: async ({ text, values }: { text: string; values: (string | number | null)[] }) => {
      const rows = await sql.unsafe(text, values, { prepare: true })
      return { rows, rowCount: rows.count }
    },
  }
}

const secondsLeftOf = (state: RateLimiterRes) => Math.ceil(state.msBeforeNext / 1000)

const formatRateLimit = (state: RateLimiterRes) => ({
  RateLimit: `"default";r=${state.remainingPoints};t=${secondsLeftOf(state)}`,
})
