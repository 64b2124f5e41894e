import type { RateLimit } from '@passport/contract/endpoint'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Sql } from '../database/sql.ts'
import { tooManyRequests } from './problems.ts'
import { subscriberOf, type Visit } from './visit.ts'

/** Counts a request; throws 429 above the limit, otherwise returns the rate limit headers. */
export type Consume = (key: string) => Promise<Record<string, string>>

/** A limit of one endpoint, counted in this process: sufficient against a flood. */
export const createLimiter = ({ requests, perSeconds }: RateLimit): Consume =>
  createConsumer(new RateLimiterMemory({ points: requests, duration: perSeconds }))

/** At most `requests` in `perSeconds` from one address, counted by `name` over all processes. */
export interface AddressLimit {
  name: string
  requests: number
  perSeconds: number
}

/** The limit for anonymous requests that store data: far above a company behind one address, far below a flood. */
export const anonymousLimit = (name: string): AddressLimit => ({ name, requests: 300, perSeconds: 60 })

/** Counts visits per address in a table that all processes share, like `Consume`. */
export function createAddressLimiter(sql: Sql, { name, requests, perSeconds }: AddressLimit) {
  const consume = createConsumer(sharedLimiter(sql, name, requests, perSeconds))
  return ({ ip }: Pick<Visit, 'ip'>) => consume(subscriberOf(ip))
}

function createConsumer(limiter: RateLimiterMemory | RateLimiterPostgres): Consume {
  const policy = { 'RateLimit-Policy': `"default";q=${limiter.points};w=${limiter.duration}` }
  return async (key) => {
    try {
      return { ...policy, ...rateLimitHeader(await limiter.consume(key)) }
    } catch (result) {
      if (!(result instanceof RateLimiterRes)) throw result
      throw tooManyRequests(secondsLeft(result), { headers: { ...policy, ...rateLimitHeader(result) } })
    }
  }
}

/** Counts failures across processes. */
export interface FailureCounter {
  /**
   * Counts an attempt before it is judged, so that concurrent attempts cannot all pass. Returns the seconds until the
   * key is unlocked; 0 if the attempt may be judged.
   */
  begin: (key: string) => Promise<number>
  /** Records a failed attempt; returns true if it was the last one and locks the key. */
  fail: (key: string) => Promise<boolean>
  /** Records a successful attempt: the count restarts. */
  reset: (key: string) => Promise<void>
  /** Removes an attempt that did not fail, or was not judged; earlier ones still count. */
  cancel: (key: string) => Promise<void>
}

/** Locks a key for `lockSeconds` after this many failures within that time, in a table that all processes share. */
export function createFailureCounter(sql: Sql, name: string, maxFailures: number, lockSeconds: number): FailureCounter {
  const limiter = sharedLimiter(sql, name, maxFailures, lockSeconds)
  return {
    begin: async (key) => {
      try {
        await limiter.consume(key)
        return 0
      } catch (result) {
        if (!(result instanceof RateLimiterRes)) throw result
        return Math.max(1, secondsLeft(result))
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

/** Deletes at most `limit` expired counters; returns how many. */
export async function sweepCounters(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from rate_limits where key in (select key from rate_limits where expire <= ${Date.now()} limit ${limit})`
  return removed.count
}

const sharedLimiter = (sql: Sql, name: string, points: number, seconds: number) =>
  new RateLimiterPostgres({
    storeClient: queryable(sql),
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: seconds,
  })

/** Adapts our driver to the interface that the limiter expects. */
function queryable(sql: Sql) {
  return {
    query: async ({ text, values }: { text: string; values: (string | number | null)[] }) => {
      const rows = await sql.unsafe(text, values, { prepare: true })
      return { rows, rowCount: rows.count }
    },
  }
}

const secondsLeft = (state: RateLimiterRes) => Math.ceil(state.msBeforeNext / 1000)

const rateLimitHeader = (state: RateLimiterRes) => ({
  RateLimit: `"default";r=${state.remainingPoints};t=${secondsLeft(state)}`,
})
