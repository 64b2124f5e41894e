import { expect, test } from 'vitest'
import { countWaiting } from '../database/pool.ts'
import { transaction } from '../database/sql.ts'
import { startTestService } from '../test-service.ts'

test('the metrics report work waiting for a connection, and the last success of each job', async () => {
  const { url, sql } = await startTestService({}, { maxConnections: 2 })
  const read = async (name: string) => {
    const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
    return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1])
  }
  await sql`insert into recurring_jobs (name, succeeded_at) values ('sweep', now() - interval '1 hour'), ('never', null)`
  expect(await read('passport_db_waiting')).toBe(0)
  expect(await read('passport_job_last_success_seconds{job="sweep"}')).toBeGreaterThanOrEqual(3600)
  expect(await read('passport_job_last_success_seconds{job="never"}')).toBeNaN()

  const release = Promise.withResolvers<void>()
  const busy = [1, 2].map(() => transaction(sql, () => release.promise))
  const waiting = [1, 2, 3].map(() => sql`select 1`.then((rows) => rows))
  // Reading the jobs needs a connection as well, so it waits too.
  const waitingCount = read('passport_db_waiting')
  await expect.poll(() => countWaiting(sql)).toBeGreaterThan(3)
  release.resolve()
  expect(await waitingCount).toBeGreaterThanOrEqual(3)
  await Promise.all([...busy, ...waiting])
})
