import { setTimeout as delay } from 'node:timers/promises'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { AwsFailure, batchMeterUsage, type UsageRecord, type UsageResult } from './aws.ts'
import { type Batch, toBatches, toRecord } from './metering-batches.ts'
import { requestChecksOf } from './subscription-store.ts'
import { refresh } from './subscriptions.ts'
import { earliestAccepted } from './usage-bounds.ts'
import * as store from './usage-store.ts'

/** AWS allows ten calls a second and seller account. */
const callsPerRound = 9
const roundMs = 1_000
const hoursPerRound = callsPerRound * 25
/** The waits before a throttled call is repeated. */
const throttledDelaysMs = [1_000, 2_000, 4_000]
/** The delay of the next attempt after a failed one, and the longest: the final hour of a subscription is short. */
const firstDelaySeconds = 30
const maxDelaySeconds = 600

type Sender = Pick<Services, 'sql' | 'config' | 'log' | 'stopping'>

/**
 * Sends the due hours to AWS until there are none, or AWS does not answer. Any number of processes may do so at once:
 * each hour is claimed before the call, and repeated with the same quantity after a crash, which AWS bills once.
 */
export async function sendUsage(services: Sender): Promise<number> {
  const { sql, stopping } = services
  await store.expire(sql, earliestAccepted(Date.now()))
  let count = 0
  while (!stopping.aborted) {
    const round = delay(roundMs, undefined, { signal: stopping }).catch(() => {})
    const claimed = await store.claim(sql, hoursPerRound)
    if (claimed.length === 0) break
    const batches = toBatches(claimed)
    let isAnswered = true
    while (batches.length > 0) {
      const answers = await Promise.all(batches.splice(0, callsPerRound).map((batch) => sendBatch(services, batch)))
      isAnswered &&= answers.every(Boolean)
      if (batches.length > 0) await delay(roundMs, undefined, { signal: stopping }).catch(() => {})
    }
    count += claimed.length
    if (!isAnswered) break
    if (claimed.length === hoursPerRound) await round
  }
  return count
}

/**
 * Sends a batch, and records each answer as it arrives. A batch that AWS rejects as a whole is divided, so that an invalid
 * record stops no other. Returns whether AWS answered.
 */
async function sendBatch(services: Sender, batch: Batch): Promise<boolean> {
  const { hours, productCode } = batch
  try {
    const records = hours.map(toRecord)
    const answers = new Map((await send(services, { productCode, records })).map((answer) => [answer.record, answer]))
    await recordAnswers(
      services.sql,
      hours.map((hour, index) => toResult(hour, answers.get(records[index] as UsageRecord))),
    )
    return true
  } catch (error) {
    const failure = readFailure(error)
    if (!failure) throw error
    if (!failure.isRequestError) {
      await store.record(
        services.sql,
        hours.map((hour) => postpone(hour, failure.awsError)),
      )
      return false
    }
    if (hours.length === 1 || wholeErrors.has(failure.awsError)) {
      await store.record(
        services.sql,
        hours.map((hour) => refuse(hour, failure.awsError)),
      )
      return true
    }
    const middle = Math.ceil(hours.length / 2)
    const halves = [hours.slice(0, middle), hours.slice(middle)]
    let isAnswered = true
    for (const half of halves) isAnswered = (await sendBatch(services, { productCode, hours: half })) && isAnswered
    return isAnswered
  }
}

/** Errors about the product, which all records of a call share. */
const wholeErrors = new Set(['InvalidProductCodeException'])

async function send(
  { config, log, stopping }: Sender,
  request: { productCode: string | undefined; records: UsageRecord[] },
): Promise<UsageResult[]> {
  for (const delayMs of throttledDelaysMs) {
    try {
      return await batchMeterUsage({ config, log }, request)
    } catch (error) {
      if (!isThrottled(error) || stopping.aborted) throw error
      await delay(delayMs, undefined, { signal: stopping }).catch(() => {})
    }
  }
  return batchMeterUsage({ config, log }, request)
}

const isThrottled = (error: unknown) => (error as { code?: string }).code === 'awsmp-throttled'

function readFailure(error: unknown): AwsFailure | undefined {
  const { cause } = error as { cause?: unknown }
  if (!(cause instanceof AwsFailure)) return undefined
  // Credentials and throttling have statuses of a wrong request, too.
  const isRequestError = cause.isRequestError && (error as { code?: string }).code === 'awsmp-unavailable'
  return new AwsFailure('BatchMeterUsage', cause.awsError, isRequestError)
}

const statuses: Record<string, store.MeterResult['status']> = {
  Success: 'success',
  DuplicateRecord: 'duplicate',
  CustomerNotSubscribed: 'not_subscribed',
}

function toResult(hour: store.ClaimedHour, answer: UsageResult | undefined): store.MeterResult {
  const status = answer && statuses[answer.status]
  if (!answer || !status) return postpone(hour, 'UnprocessedRecord')
  const error = status === 'success' ? null : answer.status
  return { ...pick(hour), status, meteringRecordId: answer.meteringRecordId, error, delaySeconds: 0 }
}

/** Records answers. Subscriptions that AWS has ended follow. */
async function recordAnswers(sql: Sql, results: store.MeterResult[]): Promise<void> {
  await store.record(sql, results)
  const unsubscribed = results.filter(({ status }) => status === 'not_subscribed')
  if (unsubscribed.length === 0) return
  const ids = [...new Set(unsubscribed.map(({ subscriptionId }) => subscriptionId))].sort()
  await transaction(sql, async (sql) => {
    const rows = await refresh(sql, ids)
    // The events of the end may have been lost.
    const unended = rows.filter(({ status }) => status === 'active')
    if (unended.length > 0)
      await requestChecksOf(
        sql,
        unended.map(({ id }) => id),
      )
  })
}

const pick = ({ subscriptionId, dimension, hour, attempts }: store.ClaimedHour) => ({
  subscriptionId,
  dimension,
  hour,
  attempts,
})

const postpone = (hour: store.ClaimedHour, error: string): store.MeterResult => ({
  ...pick(hour),
  status: 'pending',
  meteringRecordId: null,
  error,
  delaySeconds: Math.min(firstDelaySeconds * 2 ** (hour.attempts - 1), maxDelaySeconds),
})

const refuse = (hour: store.ClaimedHour, error: string): store.MeterResult => ({
  ...pick(hour),
  status: error === 'TimestampOutOfBoundsException' ? 'expired' : 'rejected',
  meteringRecordId: null,
  error,
  delaySeconds: 0,
})
