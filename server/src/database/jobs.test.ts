import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createLog } from '../http/log.ts'
import { createTestDatabase } from '../test-service.ts'
import { type Job, runDueJobs, startJobs, sweepAll } from './jobs.ts'

const log = createLog('silent')

/** A job that counts how often it ran; `registered` puts it into the table as a start does. */
async function counting(name: string, work: () => Promise<void> = async () => {}) {
  const sql = await createTestDatabase()
  const job: Job & { times: number } = {
    name,
    everySeconds: 60,
    times: 0,
    run: async () => {
      job.times++
      await work()
    },
  }
  await sql`insert into recurring_jobs (name) values (${name})`
  const makeDue = () =>
    sql`update recurring_jobs set due_at = '-infinity', leased_until = '-infinity' where name = ${name}`
  return { sql, job, makeDue }
}

test('a job runs when it is due, and not again before its time', async () => {
  const { sql, job, makeDue } = await counting('sometimes')
  await runDueJobs(sql, [job], log)
  await runDueJobs(sql, [job], log)
  expect(job.times).toBe(1)
  const [next] =
    await sql`select extract(epoch from due_at - now())::integer as seconds from recurring_jobs where name = 'sometimes'`
  expect(next?.['seconds']).toBeGreaterThan(55)
  await makeDue()
  await runDueJobs(sql, [job], log)
  expect(job.times).toBe(2)
})

test('of many processes one runs it', async () => {
  const { sql, job } = await counting('once')
  await Promise.all(Array.from({ length: 12 }, () => runDueJobs(sql, [job], log)))
  expect(job.times).toBe(1)
})

test('a job that fails keeps its lease, stops no other, and is tried when the lease is over', async () => {
  const { sql, job, makeDue } = await counting('broken', () => Promise.reject(new Error('no')))
  const { job: other } = await counting('sound')
  await sql`insert into recurring_jobs (name) values ('sound')`
  await runDueJobs(sql, [job, other], log)
  await runDueJobs(sql, [job, other], log)
  expect([job.times, other.times]).toEqual([1, 1])
  await makeDue()
  await runDueJobs(sql, [job, other], log)
  expect([job.times, other.times]).toEqual([2, 1])
})

test('a start registers its jobs, runs what is due, and a stop waits for what runs', async () => {
  const sql = await createTestDatabase()
  const running = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  let isDone = false
  const run = async () => {
    running.resolve()
    await finish.promise
    isDone = true
  }
  const stop = startJobs(sql, [{ name: 'slow', everySeconds: 60, run }], log)
  await running.promise
  const stopped = stop()
  expect(isDone).toBe(false)
  finish.resolve()
  await stopped
  expect(isDone).toBe(true)
})

test('a database that is gone for a while costs the rounds of that time alone', async () => {
  const { sql, job, makeDue } = await counting('patient')
  const lines: string[] = []
  const told = pino({ base: null }, { write: (line) => void lines.push(line) })
  await sql`alter table recurring_jobs rename to gone`
  const stop = startJobs(sql, [job], told, 5)
  const failures = () => lines.filter((line) => /jobs-not-registered|job-failed/.test(line)).length
  await expect.poll(failures).toBeGreaterThan(4)
  expect(job.times).toBe(0)
  await sql`alter table gone rename to recurring_jobs`
  await expect.poll(() => job.times).toBe(1)
  await makeDue()
  await expect.poll(() => job.times).toBe(2)
  await stop()
})

test('a sweep goes on in small steps until nothing is left', async () => {
  let left = 25
  const limits: number[] = []
  await sweepAll(async (limit) => {
    limits.push(limit)
    const swept = Math.min(limit, left)
    left -= swept
    return swept
  }, 10)
  expect(left).toBe(0)
  expect(limits).toEqual([10, 10, 10])
})
