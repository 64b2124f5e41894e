import type postgres from 'postgres'
import type { Sql } from './sql.ts'

/** A part of a statement, with its own parameters; the tests record and check the statements that contain it. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** The order of a list: by a column, then by the id. Names come from code, never from input. */
export interface ListOrder {
  key: string
  /** Defaults to `id`. */
  id?: string
  isDescending?: boolean
}

/** A range of a list: after a keyset cursor, or from an offset. */
export interface ListRange {
  after: readonly [key: string, id: string] | undefined
  offset: number
  limit: number
}

/** Joins conditions with `and`; undefined ones are omitted. */
export function allOf(sql: Sql, ...conditions: (Fragment | undefined)[]): Fragment {
  const [first = sql`true`, ...others] = conditions.filter((condition) => condition !== undefined)
  return others.reduce((joined, condition) => sql`${joined} and ${condition}`, first)
}

/** Returns the condition for rows after a cursor in this order; undefined without a cursor. */
export function afterCursor(
  sql: Sql,
  { key, id = 'id', isDescending = false }: ListOrder,
  after: ListRange['after'],
): Fragment | undefined {
  if (!after) return undefined
  const [keyValue, idValue] = after
  const columns = sql`(${sql(key)}, ${sql(id)})`
  return isDescending ? sql`${columns} < (${keyValue}, ${idValue})` : sql`${columns} > (${keyValue}, ${idValue})`
}

/** Returns the `order by` clause of this order. */
export function orderBy(sql: Sql, { key, id = 'id', isDescending = false }: ListOrder): Fragment {
  return isDescending ? sql`order by ${sql(key)} desc, ${sql(id)} desc` : sql`order by ${sql(key)}, ${sql(id)}`
}

/** Returns the clauses from `where` to `limit` of a page: the rows after the cursor that meet the conditions. */
export function pageWhere(
  sql: Sql,
  order: ListOrder,
  { after, offset, limit }: ListRange,
  ...conditions: (Fragment | undefined)[]
): Fragment {
  return sql`
    where ${allOf(sql, ...conditions, afterCursor(sql, order, after))}
    ${orderBy(sql, order)} offset ${offset} limit ${limit}`
}
