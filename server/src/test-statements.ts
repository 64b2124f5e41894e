import type { Sql } from './database/sql.ts'

/**
 * Returns the statements that the service sends during `work`. Runs it three times and keeps the statements common to
 * all runs, which excludes occasional maintenance.
 */
export async function recordStatements(sql: Sql, work: () => Promise<unknown>): Promise<string[]> {
  const record = async () => {
    const statements: string[] = []
    sql.options.debug = (_connection, text) => statements.push(text)
    await work()
    sql.options.debug = undefined as never
    return statements
  }
  const first = await record()
  return intersect(intersect(first, await record()), await record())
}

/** Multiset intersection. */
function intersect(first: string[], second: string[]): string[] {
  const remaining = [...second]
  return first.filter((statement) => {
    const index = remaining.indexOf(statement)
    if (index >= 0) remaining.splice(index, 1)
    return index >= 0
  })
}
