import type { RateLimit } from '@passport/contract/endpoint'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Sql } from '../database/sql.ts'
import { Problem } from './problem.ts'
import { subscriberOf, type Visit } from './visit.ts'

/** Counts a request; throws 429 when there were too many, otherwise returns the headers that tell what is left. */
export type Consume = (key: string) => Promise<Record<string, string>>

/** A limit of one endpoint, counted in this process: good enough for what only protects against a flood. */
export const limiterOf = ({ requests, perSeconds }: RateLimit): Consume =>
  consumerOf(new RateLimiterMemory({ points: requests, duration: perSeconds }))

/** At most `requests` in `perSeconds` from one address, counted by `name` over all processes. */
export interface AddressLimit {
  name: string
  requests: number
  perSeconds: number
}

/** The limit of what leaves something behind whoever asks: far above a company behind one address, far below a flood. */
export const startsBy = (name: string): AddressLimit => ({ name, requests: 300, perSeconds: 60 })

/** Counts the visits of each address in a table that all processes share, like `Consume`. */
export function addressLimiter(sql: Sql, { name, requests, perSeconds }: AddressLimit) {
  const consume = consumerOf(sharedLimiter(sql, name, requests, perSeconds))
  return ({ ip }: Pick<Visit, 'ip'>) => consume(subscriberOf(ip))
}

function consumerOf(limiter: RateLimiterMemory | RateLimiterPostgres): Consume {
  const policy = { 'RateLimit-Policy': `"default";q=${limiter.points};w=${limiter.duration}` }
  return async (key) => {
    try {
      return { ...policy, ...left(await limiter.consume(key)) }
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      throw tooMany(refused, { ...policy, ...left(refused) })
    }
  }
}

/** Counts failures where it must hold across processes. */
export interface FailureCounter {
  /**
   * Counts an attempt before it is judged, so that many at the same time do not pass together. Returns the seconds until
   * the key is let in again; 0 where the attempt may be judged.
   */
  begin: (key: string) => Promise<number>
  /** The attempt failed; true where it was the last one and the key is locked from now on. */
  fail: (key: string) => Promise<boolean>
  /** The attempt succeeded: the count starts anew. */
  forgive: (key: string) => Promise<void>
  /** The attempt was no failure, or was not judged: it does not count, and those before it still do. */
  takeBack: (key: string) => Promise<void>
}

/** Locks a key for `lockSeconds` after so many failures within that time, in a table that all processes share. */
export function failureCounter(sql: Sql, name: string, maxFailures: number, lockSeconds: number): FailureCounter {
  const limiter = sharedLimiter(sql, name, maxFailures, lockSeconds)
  return {
    begin: async (key) => {
      try {
        await limiter.consume(key)
        return 0
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        return Math.max(1, secondsLeft(refused))
      }
    },
    fail: async (key) => {
      const state = await limiter.get(key)
      const isLast = state !== null && state.consumedPoints >= maxFailures
      if (isLast) await limiter.block(key, lockSeconds)
      return isLast
    },
    forgive: async (key) => {
      await limiter.delete(key)
    },
    takeBack: async (key) => {
      await limiter.reward(key)
    },
  }
}

/** Removes at most `limit` counters whose time is over; returns how many. */
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

/** Our driver in the shape of the one that the limiter knows. */
function queryable(sql: Sql) {
  return {
    query: async ({ text, values }: { text: string; values: (string | number | null)[] }) => {
      const rows = await sql.unsafe(text, values, { prepare: true })
      return { rows, rowCount: rows.count }
    },
  }
}

const secondsLeft = (state: RateLimiterRes) => Math.ceil(state.msBeforeNext / 1000)

const left = (state: RateLimiterRes) => ({ RateLimit: `"default";r=${state.remainingPoints};t=${secondsLeft(state)}` })

function tooMany(state: RateLimiterRes, headers: Record<string, string>): Problem {
  const seconds = secondsLeft(state)
  return new Problem(429, 'too-many-requests', `Try again in ${seconds} s.`, {
    headers: { ...headers, 'Retry-After': String(seconds) },
  })
}
