import { type Sql, transaction } from './database/sql.ts'

/** Runs `work` in a transaction of a pool and keeps it open until the returned function is called. */
export async function holdTransaction(
  pool: Sql,
  work: (sql: Sql) => Promise<unknown> = async (sql) => sql`select 1`,
): Promise<() => Promise<void>> {
  const started = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const result = transaction(pool, async (sql) => {
    await work(sql)
    started.resolve()
    await released.promise
  })
  result.catch(started.reject)
  await started.promise
  return () => {
    released.resolve()
    return result
  }
}
