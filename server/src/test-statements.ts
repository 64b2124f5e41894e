import type { Sql } from './database/sql.ts'

let unreported = new Set<string>()
const reported = new Set<string>()

/** Adds the text of a statement that a test database executes. */
export function addStatement(text: string): void {
  if (!reported.has(text)) unreported.add(text)
}

/** Returns the statements added since the last call, except those that an earlier call returned. */
export function takeStatements(): string[] {
  const statements = [...unreported]
  for (const statement of statements) reported.add(statement)
  unreported = new Set()
  return statements
}

/**
 * Returns the statements that the service sends during `work`. Runs it three times and keeps the statements common to
 * all runs, which excludes occasional maintenance.
 */
export async function recordStatements(sql: Sql, work: () => Promise<unknown>): Promise<string[]> {
  const record = async () => {
    const statements: string[] = []
    const { debug } = sql.options
    sql.options.debug = (_connection, text) => {
      // Traces are saved by a timer, many at once.
      if (!text.includes('insert into sign_in_traces')) statements.push(text)
    }
    await work()
    sql.options.debug = debug
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
