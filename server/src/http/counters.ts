import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { siteOf } from './visit.ts'

/** The limit of an IPv6 /48 is this many times that of each /64 in it: without one, a /48 has 65,536 limits. */
export const siteFactor = 20

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

/** The failures of one IP address, which several processes count. */
export interface AddressFailureOptions {
  name: string
  maxFailures: number
  lockSeconds: number
  /** Returns the network by which an address is counted. */
  networkOf: (ip: string) => string
}

/**
 * Creates a counter by IP address: by its network, and by the site of an IPv6 address as well. Either of them locks the
 * address; `fail` reports whether it locked the network.
 */
export function createAddressFailureCounter(
  sql: Sql,
  { name, maxFailures, lockSeconds, networkOf }: AddressFailureOptions,
): Omit<FailureCounter, 'reset'> {
  const networks = createFailureCounter(sql, name, maxFailures, lockSeconds)
  const sites = createFailureCounter(sql, name, maxFailures * siteFactor, lockSeconds)
  return {
    begin: async (ip) => {
      const seconds = await networks.begin(networkOf(ip))
      const site = siteOf(ip)
      if (seconds > 0 || site === undefined) return seconds
      const siteSeconds = await sites.begin(site)
      if (siteSeconds > 0) await networks.cancel(networkOf(ip))
      return siteSeconds
    },
    fail: async (ip) => {
      const site = siteOf(ip)
      if (site !== undefined) await sites.fail(site)
      return networks.fail(networkOf(ip))
    },
    cancel: async (ip) => {
      const site = siteOf(ip)
      if (site !== undefined) await sites.cancel(site)
      await networks.cancel(networkOf(ip))
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

/** The keys of an attempt in its counters. A counter without a key does not count it. */
export interface AttemptKeys {
  /** The site of an IPv6 address, whose limit is `siteFactor` times that of a network. */
  site: string | undefined
  network: string | undefined
  name: string
}

/** The counters of one attempt. */
export interface AttemptCounters {
  /**
   * Returns the parts of a statement that count an attempt in one counter after the other, until one is full; then the
   * others no longer count it. `account` is an expression for the key of the account. `counted` is an expression for
   * `conclude`.
   */
  count: (keys: AttemptKeys, account: Fragment | undefined) => { parts: Fragment; counted: Fragment }
  /** Returns 0 if the attempt may be checked, otherwise the seconds until the full counter is unlocked. */
  conclude: (keys: AttemptKeys, counted: CountedAttempt[]) => Promise<number>
  /**
   * Returns the parts of a statement that records a successful attempt if `condition` is true, after evaluating it. That
   * restarts the count of the name only; see `FailureCounter.cancel`.
   */
  succeed: (keys: AttemptKeys, account: string | undefined, condition: Fragment) => Fragment
}

type CounterOptions = Readonly<Record<'name', string> & Record<'maxFailures' | 'lockSeconds', number>>

/**
 * Creates counters that count an attempt and its success together, each in parts of one statement. They have the rows of
 * the `FailureCounter` of the same name, and of the `AddressFailureCounter` of that of the network, which do the rest.
 */
export function createAttemptCounters(
  sql: Sql,
  { network, name, account }: Readonly<Record<'network' | 'name' | 'account', CounterOptions>>,
): AttemptCounters {
  const site = { ...network, maxFailures: network.maxFailures * siteFactor }
  const counters = [site, network, name].map((options) => ({
    ...options,
    ...createFailureCounter(sql, options.name, options.maxFailures, options.lockSeconds),
  }))
  const maxOf = (index: number) => [site, network, name, account][index]?.maxFailures ?? 0
  const storedKeyOf = ({ name }: CounterOptions, key: string | undefined) =>
    key === undefined ? null : `${name}:${key}`

  return {
    count: (keys, accountKey) => {
      const now = Date.now()
      const endOf = ({ lockSeconds }: CounterOptions) => now + lockSeconds * 1000
      const [siteKey, networkKey] = [storedKeyOf(site, keys.site), storedKeyOf(network, keys.network)]
      const countOn = sql`
        on conflict (key) do update set
          points = case when stored.expire <= ${now} then 1 else stored.points + 1 end,
          expire = case when stored.expire <= ${now} then excluded.expire else stored.expire end`
      return {
        parts: sql`
          counted_site as (
            insert into rate_limits as stored (key, points, expire)
            select ${siteKey}::text, 1, ${endOf(site)}::bigint where ${siteKey}::text is not null
            ${countOn}
            returning 0 as index, points, expire
          ), counted_network as (
            insert into rate_limits as stored (key, points, expire)
            select ${networkKey}::text, 1, ${endOf(network)}::bigint
            where ${networkKey}::text is not null
              and not exists (select from counted_site where points > ${site.maxFailures})
            ${countOn}
            returning 1 as index, points, expire
          ), counted_name as (
            insert into rate_limits as stored (key, points, expire)
            select ${storedKeyOf(name, keys.name)}::text, 1, ${endOf(name)}::bigint
            where not exists (select from counted_site where points > ${site.maxFailures})
              and not exists (select from counted_network where points > ${network.maxFailures})
            ${countOn}
            returning 2 as index, points, expire
          ), counted_account as (
            insert into rate_limits as stored (key, points, expire)
            select ${`${account.name}:`} || given.key, 1, ${endOf(account)}::bigint
            from (select ${accountKey ?? null}::text as key) as given
            where given.key is not null
              and exists (select from counted_name where points <= ${name.maxFailures})
            ${countOn}
            returning 3 as index, points, expire
          )`,
        counted: sql`(
          select json_agg(row_to_json(each) order by index) from (
            select * from counted_site union all select * from counted_network
            union all select * from counted_name union all select * from counted_account
          ) as each)`,
      }
    },
    conclude: async (keys, counted) => {
      const full = counted.find(({ index, points }) => points > maxOf(index))
      if (!full) return 0
      const sent = [keys.site, keys.network, keys.name]
      for (const { index } of counted) if (index !== full.index) await counters[index]?.cancel(sent[index] ?? '')
      return Math.max(1, Math.ceil((full.expire - Date.now()) / 1000))
    },
    succeed: (keys, accountKey, condition) => {
      const now = Date.now()
      // In the order in which attempts lock the rows, so that none of two waits for the other.
      return sql`
        released_site as (
          update rate_limits set points = points - 1
          where key = ${storedKeyOf(site, keys.site)} and expire > ${now} and ${condition}
          returning key
        ), released_network as (
          update rate_limits set points = points - 1
          where key = ${storedKeyOf(network, keys.network)} and expire > ${now} and ${condition}
            and (select count(*) from released_site) >= 0
          returning key
        ), released_name as (
          delete from rate_limits
          where key = ${storedKeyOf(name, keys.name)} and ${condition}
            and (select count(*) from released_network) >= 0
          returning key
        ), released_account as (
          update rate_limits set points = points - 1
          where key = ${storedKeyOf(account, accountKey)} and expire > ${now} and ${condition}
            and (select count(*) from released_name) >= 0
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

/** Creates a limiter by key, which counts in a table that all processes share. */
export const createSharedLimiter = (sql: Sql, name: string, points: number, seconds: number) =>
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

/** Returns the seconds until a counter begins again. */
export const secondsLeftOf = (state: RateLimiterRes) => Math.ceil(state.msBeforeNext / 1000)
