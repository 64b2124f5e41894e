import { listAwsEvents, snsPath } from '@passport/contract/aws-events'
import { getHealth } from '@passport/contract/health'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { createChecks } from '../health/checks.ts'
import { receiveOnce } from './poll-queues.ts'
import { readQueues, recordFailure } from './queue-store.ts'
import { openQueue } from './sqs.ts'
import { type AwsService, startAwsService } from './test-aws.ts'

const topicArn = 'arn:aws:sns:us-east-1:287250355862:aws-mp-subscription-notification-old'
const hours = 'stagehours1a2b3c4d5e6f7g8'
let aws: AwsService
beforeAll(async () => {
  aws = await startAwsService()
  const { sql } = aws.service
  await sql`
    insert into aws_products (id, name, product_code, pricing_model, integration, support_email, sns_topic_arns)
    values ('old', 'Old', 'old-code', 'subscription', 'legacy', 'a@b.example', ${[topicArn]})`
})

const stopping = new AbortController().signal
const queueOf = (name: string) => openQueue(aws.service.services, aws.marketplace.queueUrl(name))
const receive = (name: string) => receiveOnce({ ...aws.service.services, stopping }, queueOf(name))
const eventsOf = (source: string) =>
  aws.service
    .sql`select event_id, status, detail_type, error from aws_events where source = ${source} order by received_at, event_id`

describe('a queue', () => {
  test('brings the events of a purchase, in any order and repeated, and is empty once they are stored', async () => {
    aws.marketplace.setDelivery('held')
    const bought = await aws.marketplace.buy({ product: hours })
    aws.marketplace.deliverHeldTo('events')
    aws.marketplace.setDelivery('automatic')
    const queue = aws.marketplace.queue('events')
    queue.send(queue.messages()[0]?.body ?? '')
    expect(await receive('events')).toBe(3)
    expect(queue.messages()).toEqual([])
    expect(await eventsOf('eventbridge')).toHaveLength(2)
    await expect
      .poll(
        async () =>
          (await aws.service.sql`select status from aws_subscriptions where license_arn = ${bought.licenseArn}`)[0],
      )
      .toEqual({ status: 'active' })
  })

  test('keeps its messages until their events are committed', async () => {
    const queue = aws.marketplace.queue('crash')
    queue.send(
      JSON.stringify({ id: 'kept', 'detail-type': 'Else', source: 'x', time: new Date().toISOString(), detail: {} }),
    )
    const { services } = aws.service
    const failing = {
      ...services,
      stopping,
      sql: { begin: () => Promise.reject(new Error('the server is killed')) } as never,
    }
    await expect(receiveOnce(failing, queueOf('crash'))).rejects.toThrow('killed')
    expect(queue.messages()).toMatchObject([{ receiveCount: 1 }])
    queue.makeVisible()
    expect(await receive('crash')).toBe(1)
    expect(queue.messages()).toEqual([])
    expect(await eventsOf('eventbridge')).toContainEqual(
      expect.objectContaining({ eventId: 'kept', status: 'ignored' }),
    )
  })

  test('keeps what is no event for the administrators, and goes on', async () => {
    const queue = aws.marketplace.queue('poison')
    for (const body of [
      'no JSON',
      '{"id":1}',
      JSON.stringify({ Type: 'Notification', MessageId: 'm', TopicArn: 't', Message: 'x', Timestamp: 'y' }),
    ])
      queue.send(body)
    expect(await receive('poison')).toBe(3)
    expect(queue.messages()).toEqual([])
    const { items } = await aws.ada.call(listAwsEvents, { query: { status: 'failed' } })
    expect(items.filter(({ detailType }) => detailType === 'Unreadable message')).toHaveLength(3)
    expect(items[0]?.error).toBe('The message from poison is no event of AWS Marketplace.')
  })

  test('stores each message alone: one that cannot be stored is kept as failed', async () => {
    const event = (id: string, detail: string) =>
      `{"id":"${id}","detail-type":"Else","source":"x","time":"${new Date().toISOString()}","detail":${detail}}`
    const notification = (message: string, timestamp = new Date().toISOString()) =>
      JSON.stringify({
        Type: 'Notification',
        MessageId: 'm',
        TopicArn: topicArn,
        Message: message,
        Timestamp: timestamp,
      })
    const hostile = {
      'has a NUL or an unpaired surrogate at detail.text': event('nul', '{"text":"a\\u0000"}'),
      'has a NUL or an unpaired surrogate at detail.name': event('half', '{"name":"\\ud800"}'),
      'is nested deeper than 64 levels': event('deep', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
      'has a number out of range at detail.n': event('number', '{"n":1e400}'),
      'has a NUL or an unpaired surrogate at action': notification('{"action":"\\u0000"}'),
      // An instant that only the database refuses.
      'cannot be stored': notification('{"action":"subscribe-success"}', '+200000-01-01T00:00:00.000Z'),
    }
    const queue = aws.marketplace.queue('mixed')
    for (const body of Object.values(hostile)) queue.send(body)
    queue.send(event('good', '{}'))
    queue.send(event('own-names', '{"__proto__":{"a":1},"constructor":1,"a":1,"a":2}'))
    expect(await receive('mixed')).toBe(8)
    expect(queue.messages()).toEqual([])
    const stored = await eventsOf('eventbridge')
    expect(stored).toEqual(
      expect.arrayContaining(
        ['good', 'own-names'].map((eventId) => expect.objectContaining({ eventId, status: 'ignored' })),
      ),
    )
    const { items } = await aws.ada.call(listAwsEvents, { query: { status: 'failed', limit: 100 } })
    const errors = items.flatMap(({ error }) => (error?.startsWith('The message from mixed') ? error : []))
    expect(errors.sort()).toEqual(
      Object.keys(hostile)
        .map((reason) => `The message from mixed ${reason}.`)
        .sort(),
    )
  })

  test('that subscribes to a topic brings its notifications', async () => {
    const message = JSON.stringify({
      action: 'subscribe-success',
      'customer-identifier': 'X01',
      'product-code': 'old-code',
    })
    aws.marketplace.queue('topic').send(
      JSON.stringify({
        Type: 'Notification',
        MessageId: 'by-queue',
        TopicArn: topicArn,
        Message: message,
        Timestamp: new Date().toISOString(),
      }),
    )
    await receive('topic')
    expect(await eventsOf('sns')).toContainEqual(
      expect.objectContaining({ eventId: 'by-queue', detailType: 'subscribe-success' }),
    )
  })

  test('is polled by a server, whose health and metrics say when', async () => {
    const name = 'polled'
    const { startTestService } = await import('../test-service.ts')
    const service = await startTestService(
      {
        AWS_MARKETPLACE_REGION: 'us-east-1',
        AWS_MARKETPLACE_QUEUES: `${aws.marketplace.queueUrl(name)},${aws.marketplace.queueUrl('other')}`,
      },
      { sharedWith: aws.service },
    )
    aws.marketplace.queue(name).send(
      JSON.stringify({
        id: 'polled',
        'detail-type': 'Else',
        source: 'x',
        time: new Date().toISOString(),
        detail: {},
      }),
    )
    aws.marketplace.queue(name).send('no JSON')
    await expect.poll(() => aws.marketplace.queue(name).messages()).toEqual([])
    const [row] = await aws.service
      .sql`select messages::integer as messages, error from aws_queues where name = ${name}`
    expect(row).toEqual({ messages: 2, error: null })
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
      'passport_queue_last_poll_seconds{queue="polled"}',
    )
    const queues = createChecks(service.services).find((check) => check.name === 'aws-queues')
    // The first answer of the empty queue takes a while.
    const readDetail = async () => (await queues?.run?.(stopping)?.catch(() => undefined))?.detail
    await expect
      .poll(readDetail, { timeout: 30_000 })
      .toMatch(/^polled, other; \d+ messages? of the last day cannot be read$/)
    const ada = await service.as('ada')
    // The next poll of the server, which succeeds, replaces the failure.
    const readFailure = async () => {
      await recordFailure(aws.service.sql, 'other', 'AccessDenied')
      const { checks } = await ada.call(getHealth, {})
      return checks.find((check) => check.name === 'aws-queues')
    }
    await expect.poll(readFailure).toMatchObject({ status: 'down', detail: 'other cannot be read: AccessDenied' })
    await service.stop()
  })

  test('that AWS refuses is recorded with the error', async () => {
    const name = 'refused'
    const url = aws.marketplace.queueUrl(name).replace(/\/\d+\/refused/, '/123456789012/')
    await expect(openQueue(aws.service.services, url).receive(stopping)).rejects.toThrow()
    await recordFailure(aws.service.sql, name, 'QueueDoesNotExist')
    expect(await readQueues(aws.service.sql, [name, 'never'])).toMatchObject([
      { name, error: 'QueueDoesNotExist', seconds: 1e9 },
      { name: 'never', error: null, seconds: 1e9 },
    ])
  })

  test.for(['ftp://x/123456789012/q', 'https://sqs.us-east-1.amazonaws.com/events', 'q'])(
    '%s is no URL of a queue',
    (url) => {
      expect(() => loadConfig({ AWS_MARKETPLACE_REGION: 'us-east-1', AWS_MARKETPLACE_QUEUES: url })).toThrow(
        'Invalid queue',
      )
    },
  )
})

describe('a notification of SNS', () => {
  const success = {
    action: ' subscribe-success',
    'customer-identifier': 'X02',
    'product-code': 'old-code ',
    isFreeTrialTermPresent: 'true',
  }

  test.for(['1', '2'] as const)(
    'with signature version %s is stored once, and reaches its subscription',
    async (signatureVersion) => {
      const messageId = `message-${signatureVersion}`
      const { sql } = aws.service
      await sql`
      insert into aws_subscriptions (id, product_id, customer_aws_account_id, customer_identifier, source)
      values ('legacy', 'old', '123456789012', 'X02', 'landing') on conflict do nothing`
      for (let time = 0; time < 2; time++)
        expect(await aws.marketplace.sns.publish(success, { topicArn, signatureVersion, messageId })).toBe(202)
      const stored = (await eventsOf('sns')).filter(({ eventId }) => eventId === messageId)
      expect(stored).toHaveLength(1)
      await expect
        .poll(async () => (await sql`select status, trial from aws_subscriptions where id = 'legacy'`)[0])
        .toEqual({ status: 'active', trial: true })
    },
  )

  test('confirms the subscription to a topic of a product, and to no other', async () => {
    expect(await aws.marketplace.sns.subscribe({ topicArn })).toBe(202)
    expect(aws.marketplace.sns.confirmed()).toEqual([topicArn])
    expect(await aws.marketplace.sns.subscribe({ topicArn: `${topicArn}2` })).toBe(403)
    const forge = (message: Record<string, string>) => ({ ...message, SubscribeURL: 'http://127.0.0.1:9/confirm' })
    expect(await aws.marketplace.sns.subscribe({ topicArn, forge })).toBe(403)
    expect(aws.marketplace.sns.confirmed()).toHaveLength(1)
  })

  const hour = 3_600_000
  test.for([
    [
      'a changed message',
      { forge: (message: Record<string, string>) => ({ ...message, Message: '{"action":"subscribe-fail"}' }) },
      403,
    ],
    ['another version', { forge: (message: Record<string, string>) => ({ ...message, SignatureVersion: '3' }) }, 403],
    [
      'a foreign certificate',
      {
        forge: (message: Record<string, string>) => ({
          ...message,
          SigningCertURL: 'https://sns.us-east-1.amazonaws.com.evil.example/x.pem',
        }),
      },
      403,
    ],
    [
      'a certificate over http',
      {
        forge: (message: Record<string, string>) => ({
          ...message,
          SigningCertURL: 'http://sns.us-east-1.amazonaws.com/x.pem',
        }),
      },
      403,
    ],
    [
      'a file that is no certificate',
      {
        forge: (message: Record<string, string>) => ({
          ...message,
          SigningCertURL: `${message['SigningCertURL']?.replace('sns.pem', 'none.pem')}`,
        }),
      },
      502,
    ],
    ['a certificate for another name', { certificate: 'foreign' }, 403],
    ['the certificate of an authority', { certificate: 'ca' }, 403],
    ['an expired certificate', { certificate: 'expired' }, 403],
    ['a topic of somebody else', { topicArn: 'arn:aws:sns:us-east-1:111111111111:mine' }, 403],
    ['an old message', { timestamp: new Date(Date.now() - 25 * hour).toISOString() }, 403],
    ['a message of tomorrow', { timestamp: new Date(Date.now() + hour).toISOString() }, 403],
    ['no time', { timestamp: 'soon' }, 403],
  ] as const)('with %s is refused', async ([_, options, status]) => {
    // A job may still apply the events of the tests above.
    const listIds = async () => (await eventsOf('sns')).map(({ eventId }) => eventId)
    const before = await listIds()
    expect(await aws.marketplace.sns.publish(success, { topicArn, ...(options as object) })).toBe(status)
    expect(await listIds()).toEqual(before)
  })

  test('that says nothing, and a body that is none, are errors', async () => {
    expect(await aws.marketplace.sns.publish({ hello: 1 }, { topicArn })).toBe(400)
    for (const body of ['', 'x', '[]', '{"Type":"Notification"}']) {
      const response = await fetch(aws.service.url + snsPath, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body,
      })
      expect(response.status).toBe(400)
    }
    const forge = (message: Record<string, string>) => ({ ...message, Type: 'UnsubscribeConfirmation' })
    expect(await aws.marketplace.sns.subscribe({ topicArn, forge })).toBe(403)
  })
})
