import type { CorsStack } from '@passport/contract/cors'
import type { Config } from '../config.ts'
import { createLiveValue } from '../database/live-value.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** The allowed origins of all stacks, cached: every response to a page of another origin depends on them. */
export interface AllowedOrigins {
  /** Returns the origins that may call this server, as of the last refresh. Never waits for the database. */
  current: () => ReadonlySet<string>
  /** Returns the sorted origins of a stack; undefined for an unknown one. */
  find: (stack: string) => string[] | undefined
  /** Reads the origins again, so that the next request of this process sees a change. */
  refresh: () => Promise<void>
}

/** Keeps the origins in memory until the database notifies of a change by any process, and for at most a minute. */
export async function cacheAllowedOrigins(sql: Sql, log: Log, config: OriginConfig): Promise<AllowedOrigins> {
  const { current, refresh } = await createLiveValue(sql, log, 'cors_origins', async () => {
    const stacks = new Map(listStacks(await store.list(sql), config).map(({ stack, origins }) => [stack, origins]))
    return { stacks, own: new Set(stacks.get(config.stack)) }
  })
  return { current: () => current().own, find: (stack) => current().stacks.get(stack), refresh }
}

type OriginConfig = Pick<Config, 'stack' | 'corsOrigins'>

/** Lists the known stacks by name: those of the configuration, those with saved origins, and that of this server. */
export function listStacks(rows: store.CorsRow[], config: OriginConfig): CorsStack[] {
  const named = rows.filter(({ origins }) => origins !== null).map(({ stack }) => stack)
  const names = new Set([config.stack, ...Object.keys(config.corsOrigins), ...named])
  return [...names].sort().map((stack) => describeStack(stack, rows, config))
}

/** Describes a stack, which need not be known. */
export function describeStack(stack: string, rows: store.CorsRow[], config: OriginConfig): CorsStack {
  const row = rows.find((row) => row.stack === stack)
  // Names come from the path, and `constructor` is a property of every object.
  const configured = Object.hasOwn(config.corsOrigins, stack) ? (config.corsOrigins[stack]?.toSorted() ?? null) : null
  return {
    stack,
    isOwn: stack === config.stack,
    origins: row?.origins ?? configured ?? [],
    isSaved: row?.origins != null,
    configured,
    revision: row?.revision ?? 0,
    updatedAt: row && row.revision > 0 ? row.updatedAt : null,
    updatedBy: row?.updatedBy ?? null,
  }
}
