import type { Sql } from './database/sql.ts'

/**
 * The statements that the service sends while something is done. It is done three times, and those are told that were
 * sent each time: what the service looks after by itself now and then is not of it.
 */
export async function statementsOf(sql: Sql, work: () => Promise<unknown>): Promise<string[]> {
  const once = async () => {
    const statements: string[] = []
    sql.options.debug = (_connection, text) => statements.push(text)
    await work()
    sql.options.debug = undefined as never
    return statements
  }
  const first = await once()
  return inBoth(inBoth(first, await once()), await once())
}

/** Each as often as it is in both. */
function inBoth(some: string[], others: string[]): string[] {
  const left = [...others]
  return some.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}
