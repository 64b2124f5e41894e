import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createTestDatabase } from '../test-service.ts'
import { type Job, readLastSuccesses, runDueJobs, startJobs, sweepAll } from './jobs.ts'

const log = createLog('silent')

/** Creates a database with a registered job that counts its runs. */
async function createCountingJob(name: string, work: () => Promise<void> = async () => {}) {
  const sql = await createTestDatabase()
  const job: Job & { runCount: number } = {
    name,
    everySeconds: 60,
    runCount: 0,
    run: async () => {
      job.runCount++
      await work()
    },
  }
  await sql`insert into recurring_jobs (name) values (${name})`
  const makeDue = () =>
    sql`update recurring_jobs set due_at = '-infinity', leased_until = '-infinity' where name = ${name}`
  return { sql, job, makeDue }
}

test('a job runs when it is due, and not again before its interval has passed', async () => {
  const { sql, job, makeDue } = await createCountingJob('sometimes')
  await runDueJobs(sql, [job], log)
  await runDueJobs(sql, [job], log)
  expect(job.runCount).toBe(1)
  const [next] =
    await sql`select extract(epoch from due_at - now())::integer as seconds from recurring_jobs where name = 'sometimes'`
  expect(next?.['seconds']).toBeGreaterThan(55)
  await makeDue()
  await runDueJobs(sql, [job], log)
  expect(job.runCount).toBe(2)
})

test('a job runs after a clock that was hours ahead is set back', async () => {
  const { sql, job } = await createCountingJob('ahead')
  await sql`update recurring_jobs set due_at = now() + interval '13 hours', leased_until = now() + interval '13 hours'`
  await runDueJobs(sql, [job], log)
  expect(job.runCount).toBe(1)
  await runDueJobs(sql, [job], log)
  expect(job.runCount).toBe(1)
})

test('the last success of a job is recorded, and a failure does not count as one', async () => {
  const { sql, job, makeDue } = await createCountingJob('measured')
  expect(await readLastSuccesses(sql)).toEqual(new Map())
  await runDueJobs(sql, [job], log)
  await sql`update recurring_jobs set succeeded_at = succeeded_at - interval '1 hour'`
  await makeDue()
  await runDueJobs(sql, [{ ...job, run: () => Promise.reject(new Error('no')) }], log)
  expect((await readLastSuccesses(sql)).get('measured')).toBeGreaterThanOrEqual(3600)
})

test('a due job runs once if many processes are ready to run it', async () => {
  const { sql, job } = await createCountingJob('once')
  await Promise.all(Array.from({ length: 12 }, () => runDueJobs(sql, [job], log)))
  expect(job.runCount).toBe(1)
})

test('a failed job does not stop others, and is retried when its lease expires', async () => {
  const { sql, job, makeDue } = await createCountingJob('broken', () => Promise.reject(new Error('no')))
  const { job: soundJob } = await createCountingJob('sound')
  await sql`insert into recurring_jobs (name) values ('sound')`
  await runDueJobs(sql, [job, soundJob], log)
  await runDueJobs(sql, [job, soundJob], log)
  expect([job.runCount, soundJob.runCount]).toEqual([1, 1])
  await makeDue()
  await runDueJobs(sql, [job, soundJob], log)
  expect([job.runCount, soundJob.runCount]).toEqual([2, 1])
})

test('startJobs registers its jobs and runs due ones, and its stop waits for running ones and starts no other', async () => {
  const sql = await createTestDatabase()
  const running = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  let isDone = false
  const run = async () => {
    running.resolve()
    await finish.promise
    isDone = true
  }
  let isNextStarted = false
  const next = async () => {
    isNextStarted = true
  }
  const jobs = [
    { name: 'slow', everySeconds: 60, run },
    { name: 'next', everySeconds: 60, run: next },
  ]
  const stop = startJobs(sql, jobs, log)
  await running.promise
  const stopped = stop()
  expect(isDone).toBe(false)
  finish.resolve()
  await stopped
  expect([isDone, isNextStarted]).toEqual([true, false])
})

test('jobs run again after the database was unavailable', async () => {
  const { sql, job, makeDue } = await createCountingJob('patient')
  const lines: string[] = []
  const recordingLog = pino({ base: null }, { write: (line) => void lines.push(line) })
  await sql`alter table recurring_jobs rename to gone`
  const stop = startJobs(sql, [job], recordingLog, 5)
  const failures = () => lines.filter((line) => /jobs-not-registered|job-failed/.test(line)).length
  await expect.poll(failures).toBeGreaterThan(4)
  expect(job.runCount).toBe(0)
  await sql`alter table gone rename to recurring_jobs`
  await expect.poll(() => job.runCount).toBe(1)
  await makeDue()
  await expect.poll(() => job.runCount).toBe(2)
  await stop()
})

test('a sweep is repeated until it removes fewer rows than its limit', async () => {
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
