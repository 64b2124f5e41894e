import { setTimeout as delay } from 'node:timers/promises'
import type { RunningAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import type { RunningProcess } from '@passport/world/process'
import { expect } from 'vitest'
import { createDatabaseEnvironment } from '../test-processes.ts'
import { startAwsService } from './test-aws.ts'
import { addMeter, addUsage, hourAgo, type TestMeter } from './test-usage.ts'

const product = 'stagehours1a2b3c4d5e6f7g8'
const hoursPerMeter = 20
/** What AWS does with the call in which the server is killed. */
const moments = ['lost-response', 'timeout', 'none', 'cut-response'] as const

interface Sent {
  UsageRecords: { LicenseArn: string; Timestamp: number; Quantity: number }[]
}

/**
 * Kills a process while it sends usage, at a different moment of a call each time, and starts it again. Then the ledger
 * of AWS must have every hour with its quantity, no call may have had another quantity, and AWS must have found no
 * duplicates.
 */
export async function killWhileMetering(
  kills: number,
  start: (env: Record<string, string>) => Promise<RunningProcess>,
): Promise<{ hours: number; calls: number }> {
  const { service, marketplace } = await startAwsService()
  const { sql } = service
  const env = {
    ...(await createDatabaseEnvironment(sql)),
    AWS_MARKETPLACE_REGION: 'us-east-1',
    ...marketplace.environment,
  }
  const meters: (TestMeter & { hours: string[] })[] = []
  const quantityOf = (meter: number, ago: number) => meter * 100 + ago
  /** Makes the job and the hours due that the killed server had leased. */
  const passLeases = async () => {
    await sql`update recurring_jobs set due_at = '-infinity', leased_until = '-infinity' where name = 'aws-metering'`
    await sql`update aws_usage set due_at = now() where status in ('pending', 'sent')`
  }
  for (let round = 0; round <= kills; round++) {
    const meter = await addMeter({ service, marketplace }, product)
    const agos = Array.from({ length: hoursPerMeter }, (_, index) => index + 2)
    await addUsage(sql, meter, Object.fromEntries(agos.map((ago) => [ago, quantityOf(round, ago)])))
    meters.push({ ...meter, hours: agos.map(hourAgo) })
    await passLeases()
    const moment = moments[round % moments.length] ?? 'none'
    marketplace.clearFaults()
    if (moment !== 'none' && round < kills) marketplace.failNext('BatchMeterUsage', moment)
    const before = countCalls(marketplace)
    const server = await start(env)
    if (round < kills) {
      await expect.poll(() => countCalls(marketplace), { interval: 2, timeout: 120_000 }).toBeGreaterThan(before)
      await delay(Math.random() * 20)
      server.kill('SIGKILL')
    } else {
      await expect.poll(() => countOpen(sql)).toBe(0)
      server.kill('SIGTERM')
    }
    await server.exited
  }
  const expected = meters.flatMap(({ licenseArn }, index) =>
    Array.from(
      { length: hoursPerMeter },
      (_, hour) => `${licenseArn} ${hourAgo(hour + 2)} ${quantityOf(index, hour + 2)}`,
    ),
  )
  const ledger = marketplace.usage().map(({ licenseArn, hour, quantity }) => `${licenseArn} ${hour} ${quantity}`)
  expect(ledger.toSorted()).toEqual(expected.toSorted())
  const calls = marketplace.requests().filter(({ operation }) => operation === 'BatchMeterUsage')
  const sent = new Set(
    calls.flatMap(({ input }) =>
      (input as Sent).UsageRecords.map(
        ({ LicenseArn, Timestamp, Quantity }) => `${LicenseArn} ${Timestamp} ${Quantity}`,
      ),
    ),
  )
  expect(sent.size).toBe(expected.length)
  expect(JSON.stringify(calls.map(({ output }) => output))).not.toContain('DuplicateRecord')
  const statuses = await sql`select distinct status from aws_usage`
  expect(statuses).toEqual([{ status: 'success' }])
  return { hours: expected.length, calls: calls.length }
}

const countCalls = ({ requests }: RunningAwsMarketplace) =>
  requests().filter(({ operation }) => operation === 'BatchMeterUsage').length

async function countOpen(sql: Awaited<ReturnType<typeof startAwsService>>['service']['sql']): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (select count(*) from aws_usage where status in ('pending', 'sent'))::integer
      + (select count(*) from entitlement_usage where metered_at is null)::integer as count`
  return row?.count ?? 0
}
