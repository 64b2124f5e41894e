import type { RateLimit } from '@passport/contract/endpoint'
import { RateLimiterMemory, type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Sql } from '../database/sql.ts'
import { createSharedLimiter, secondsLeftOf, siteFactor } from './counters.ts'
import { tooManyRequests } from './problems.ts'
import { siteOf, subscriberOf, type Visit } from './visit.ts'

/** Counts a request of a key and returns the rate limit headers. Throws 429 above the limit. */
export type Consume = (key: string) => Promise<Record<string, string>>

/** Creates the limiter of an endpoint, which counts in this process only; that suffices against a flood. */
export const createLimiter = ({ requests, perSeconds }: Pick<RateLimit, 'requests' | 'perSeconds'>): Consume =>
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
export const createAddressLimiter = (sql: Sql, limit: AddressLimit) =>
  limitByAddress(limit, (each) => createSharedCounter(sql, each))

/** Creates a limiter by IP address from one by key: by subscriber, and by the site of an IPv6 address as well. */
export function limitByAddress<L extends Pick<RateLimit, 'requests'>>(limit: L, create: (limit: L) => Consume) {
  const consume = create(limit)
  const consumeOfSite = create({ ...limit, requests: limit.requests * siteFactor })
  return async ({ ip }: Pick<Visit, 'ip'>): Promise<Record<string, string>> => {
    const headers = await consume(subscriberOf(ip))
    const site = siteOf(ip)
    if (site !== undefined) await consumeOfSite(site)
    return headers
  }
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

const formatRateLimit = (state: RateLimiterRes) => ({
  RateLimit: `"default";r=${state.remainingPoints};t=${secondsLeftOf(state)}`,
})
