import type { RateLimit } from '@passport/contract/endpoint'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Fragment } from '../database/list-query.ts'
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

/** The count of an attempt in one of several counters. */
export interface CountedAttempt {
  /** The place of the counter. */
  index: number
  points: number
  /** Milliseconds since 1970. */
  expire: number
}

/** Several counters of one attempt. A key is undefined for an attempt that a counter does not count. */
export interface AttemptCounters {
  /**
   * Returns the parts of a statement that count an attempt in one counter after the other, until one is full; then the
   * others no longer count it. `counted` is an expression for `conclude`. The last key is an expression, too.
   */
  count: (keys: readonly [string | undefined, string, Fragment | undefined]) => { parts: Fragment; counted: Fragment }
  /** Returns 0 if the attempt may be checked, otherwise the seconds until the full counter is unlocked. */
  conclude: (keys: readonly [string | undefined, string], counted: CountedAttempt[]) => Promise<number>
  /**
   * Returns the parts of a statement that records a successful attempt if `condition` is true, after evaluating it. That
   * restarts the count of the second counter only; see `FailureCounter.cancel`.
   */
  succeed: (keys: readonly [string | undefined, string, string | undefined], condition: Fragment) => Fragment
}

type CounterOptions = Readonly<Record<'name', string> & Record<'maxFailures' | 'lockSeconds', number>>

/**
 * Creates counters that count an attempt and its success together, each in parts of one statement. They have the rows of
 * the `FailureCounter` of the same name, which does the rest.
 */
export function createAttemptCounters(
  sql: Sql,
  options: readonly [CounterOptions, CounterOptions, CounterOptions],
): AttemptCounters {
  const counters = options.map(({ name, maxFailures, lockSeconds }) =>
    createFailureCounter(sql, name, maxFailures, lockSeconds),
  )
  const [firstOptions, secondOptions, thirdOptions] = options
  const storedKeyOf = ({ name }: CounterOptions, key: string | undefined) =>
    key === undefined ? null : `${name}:${key}`

  return {
    count: ([firstKey, secondKey, thirdKey]) => {
      const now = Date.now()
      const endOf = ({ lockSeconds }: CounterOptions) => now + lockSeconds * 1000
      const first = storedKeyOf(firstOptions, firstKey)
      const countOn = sql`
        on conflict (key) do update set
          points = case when stored.expire <= ${now} then 1 else stored.points + 1 end,
          expire = case when stored.expire <= ${now} then excluded.expire else stored.expire end`
      return {
        parts: sql`
          counted_first as (
            insert into rate_limits as stored (key, points, expire)
            select ${first}::text, 1, ${endOf(firstOptions)}::bigint where ${first}::text is not null
            ${countOn}
            returning 0 as index, points, expire
          ), counted_second as (
            insert into rate_limits as stored (key, points, expire)
            select ${storedKeyOf(secondOptions, secondKey)}::text, 1, ${endOf(secondOptions)}::bigint
            where not exists (select from counted_first where points > ${firstOptions.maxFailures})
            ${countOn}
            returning 1 as index, points, expire
          ), counted_third as (
            insert into rate_limits as stored (key, points, expire)
            select ${`${thirdOptions.name}:`} || third.key, 1, ${endOf(thirdOptions)}::bigint
            from (select ${thirdKey ?? null}::text as key) as third
            where third.key is not null
              and exists (select from counted_second where points <= ${secondOptions.maxFailures})
            ${countOn}
            returning 2 as index, points, expire
          )`,
        counted: sql`(
          select json_agg(row_to_json(each) order by index) from (
            select * from counted_first union all select * from counted_second union all select * from counted_third
          ) as each)`,
      }
    },
    conclude: async (keys, counted) => {
      const full = counted.find(({ index, points }) => points > (options[index]?.maxFailures ?? 0))
      if (!full) return 0
      for (const { index } of counted) if (index !== full.index) await counters[index]?.cancel(keys[index] ?? '')
      return Math.max(1, Math.ceil((full.expire - Date.now()) / 1000))
    },
    succeed: ([first, second, third], condition) => {
      const now = Date.now()
      // In the order in which attempts lock the rows, so that none of two waits for the other.
      return sql`
        released_first as (
          update rate_limits set points = points - 1
          where key = ${storedKeyOf(firstOptions, first)} and expire > ${now} and ${condition}
          returning key
        ), released_second as (
          delete from rate_limits
          where key = ${storedKeyOf(secondOptions, second)} and ${condition}
            and (select count(*) from released_first) >= 0
          returning key
        ), released_third as (
          update rate_limits set points = points - 1
          where key = ${storedKeyOf(thirdOptions, third)} and expire > ${now} and ${condition}
            and (select count(*) from released_second) >= 0
        )`
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
