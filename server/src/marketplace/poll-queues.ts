import { setTimeout as delay } from 'node:timers/promises'
import { EventBridgeEvent } from '@passport/contract/aws-events'
import * as z from 'zod/mini'
import { isDataRefused, type Sql, savepoint, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { parseForeignJson, UnusableJson } from '../http/foreign-json.ts'
import { toStorableText } from '../http/storable-text.ts'
import * as events from './event-store.ts'
import * as store from './queue-store.ts'
import { readEvent } from './receive-event.ts'
import { readNotification, SnsNotification } from './sns-message.ts'
import { openQueue, type Queue, type QueueMessage } from './sqs.ts'

type Poller = Pick<Services, 'sql' | 'config' | 'log' | 'stopping'>

/** The pause after a failure, and the longest. */
const firstPauseMs = 1_000
const maxPauseMs = 60_000
/** UTF-16 code units of an unreadable message that are kept. */
const maxKept = 64 * 1024

/** Reads events from the queues of the configuration until the server stops, each in a loop of its own. */
export function pollQueues(services: Poller): void {
  for (const url of services.config.awsMarketplace?.queueUrls ?? []) void pollQueue(services, openQueue(services, url))
}

async function pollQueue(services: Poller, queue: Queue): Promise<void> {
  const { sql, log, stopping } = services
  let pauseMs = firstPauseMs
  while (!stopping.aborted) {
    try {
      await receiveOnce(services, queue)
      pauseMs = firstPauseMs
    } catch (error) {
      if (stopping.aborted) return
      const { name = 'unknown' } = error as Error
      log.warn({ queue: queue.name, error: name, err: error }, 'aws-queue-failed')
      await store.recordFailure(sql, queue.name, name).catch(() => {})
      await delay(pauseMs, undefined, { signal: stopping, ref: false }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    }
  }
}

/**
 * Receives messages once, and stores their events. A message is deleted after its event was committed, so that a crash
 * between the two repeats it, which stores nothing twice.
 */
export async function receiveOnce({ sql, stopping }: Poller, queue: Queue): Promise<number> {
  const messages = await queue.receive(stopping)
  await transaction(sql, async (sql) => {
    for (const message of messages) await addMessage(sql, message, queue.name)
    await store.recordPoll(sql, queue.name, messages.length)
  })
  if (messages.length > 0) await queue.delete(messages)
  return messages.length
}

/** Stores the event of a message. One that the database refuses is kept as failed, so that the others are stored. */
async function addMessage(sql: Sql, message: QueueMessage, queue: string): Promise<void> {
  const event = readMessage(message, queue)
  try {
    await savepoint(sql, (sql) => events.add(sql, event))
  } catch (error) {
    if (!isDataRefused(error)) throw error
    await events.add(sql, toFailed(message, queue, 'cannot be stored'))
  }
}

/** Reads a message: an event, or a notification of a topic that the queue subscribes to. Any other is kept as failed. */
function readMessage(message: QueueMessage, queue: string): events.NewEvent & { failure?: string } {
  try {
    const json = parseForeignJson(message.body)
    const event = z.safeParse(EventBridgeEvent, json)
    if (event.success) return readEvent(event.data)
    const notification = z.safeParse(SnsNotification, json)
    const read = notification.success ? readNotification(notification.data) : undefined
    if (read) return read
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error
    if (error.flaw !== 'invalid-json') return toFailed(message, queue, error.message)
  }
  return toFailed(message, queue, 'is no event of AWS Marketplace')
}

const toFailed = ({ id, body }: QueueMessage, queue: string, reason: string) => ({
  source: 'eventbridge' as const,
  eventId: `${queue}:${id}`,
  detailType: events.unreadableMessage,
  kind: null,
  licenseKey: null,
  licenseArn: null,
  agreementId: null,
  offerId: null,
  accountId: null,
  product: null,
  eventTime: new Date().toISOString(),
  payload: { body: toStorableText(body, maxKept) },
  failure: `The message from ${queue} ${reason}.`,
})
