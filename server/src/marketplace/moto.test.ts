import { spawn } from 'node:child_process'
import { join } from 'node:path'
import * as sqs from '@aws-sdk/client-sqs'
import { findFreePort } from '@passport/world/port'
import { expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { installPython } from '../test-python.ts'
import { startTestService } from '../test-service.ts'
import { receiveOnce } from './poll-queues.ts'
import { openQueue, type QueueMessage } from './sqs.ts'
import { type AwsService, setAwsVariables, startAwsService } from './test-aws.ts'

/** Installing moto, and starting it on a busy machine. */
const limitMs = 600_000
const hours = 'stagehours1a2b3c4d5e6f7g8'

/** Starts moto, an independent implementation of SQS, and returns its URL. */
async function startMoto(): Promise<string> {
  const port = await findFreePort()
  const args = ['-H', '127.0.0.1', '-p', String(port)]
  // It would read the variables of the AWS SDK, with a profile that it does not have.
  const moto = spawn(join(installPython('moto'), 'moto_server'), args, { env: { PATH: process.env['PATH'] } })
  onFileEnd(async () => {
    moto.kill('SIGKILL')
    await new Promise((resolve) => moto.once('close', resolve))
  })
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(
      () =>
        fetch(`${url}/moto-api/data.json`).then(
          ({ ok }) => ok,
          () => false,
        ),
      waiting,
    )
    .toBe(true)
  return url
}

const waiting = { timeout: limitMs / 4, interval: 200 }
const stopping = new AbortController().signal

/** What an implementation of SQS does with messages that are sent, received, returned to the queue and deleted. */
async function play(client: sqs.SQSClient, QueueUrl: string) {
  const receive = async (VisibilityTimeout: number) => {
    const { Messages = [] } = await client.send(
      new sqs.ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    )
    return Messages
  }
  const summarise = (messages: sqs.Message[]) =>
    messages
      .map(({ Body, Attributes }) => ({ Body, received: Attributes?.['ApproximateReceiveCount'] }))
      .toSorted((a, b) => String(a.Body).localeCompare(String(b.Body)))
  for (const MessageBody of ['{"a":1}', '{"b":2}'])
    await client.send(new sqs.SendMessageCommand({ QueueUrl, MessageBody }))
  const first = await receive(60)
  const hidden = await receive(60)
  for (const { ReceiptHandle } of first)
    await client.send(new sqs.ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
  const second = await receive(60)
  const attributes = await client.send(
    new sqs.GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  )
  const deleted = await client.send(
    new sqs.DeleteMessageBatchCommand({
      QueueUrl,
      Entries: second.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    }),
  )
  return {
    first: summarise(first),
    hidden: summarise(hidden),
    second: summarise(second),
    attributes: attributes.Attributes,
    deleted: deleted.Successful?.map(({ Id }) => Id),
    failed: deleted.Failed ?? [],
    left: summarise(await receive(0)),
  }
}

const openClient = (endpoint: string) => new sqs.SQSClient({ region: 'us-east-1', endpoint, maxAttempts: 1 })

const createQueue = async (client: sqs.SQSClient, QueueName: string) =>
  (await client.send(new sqs.CreateQueueCommand({ QueueName }))).QueueUrl ?? ''

const countMessages = async (client: sqs.SQSClient, QueueUrl: string) => {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
  const { Attributes = {} } = await client.send(
    new sqs.GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  )
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
}

const readStatus = async ({ service }: AwsService, licenseArn: string) =>
  (await service.sql<{ status: string }[]>`select status from aws_subscriptions where license_arn = ${licenseArn}`)[0]
    ?.status

/** Part of `npm run interop`, which has the time to install moto. */
test.skipIf(process.env['INTEROP'] === undefined)(
  'a queue of moto brings events like one of the simulated marketplace, and keeps them until they are committed',
  async () => {
    const aws = await startAwsService()
    const motoUrl = await startMoto()
    const moto = openClient(motoUrl)
    const simulated = openClient(aws.marketplace.url)
    expect(await play(simulated, aws.marketplace.queueUrl('played'))).toEqual(
      await play(moto, await createQueue(moto, 'played')),
    )

    setAwsVariables({ AWS_ENDPOINT_URL_SQS: motoUrl })
    const url = await createQueue(moto, 'events')
    const send = async (queue: string) => {
      aws.marketplace.setDelivery('held')
      const bought = await aws.marketplace.buy({ product: hours })
      const held = aws.marketplace.events().filter(({ status }) => status === 'held')
      for (const { id, body } of held) {
        await moto.send(new sqs.SendMessageCommand({ QueueUrl: queue, MessageBody: JSON.stringify(body) }))
        aws.marketplace.drop(id)
      }
      return { bought, count: held.length }
    }
    const { services } = aws.service
    const { bought, count } = await send(url)
    const queue = openQueue(services, url)
    let received: QueueMessage[] = []
    const watched = { ...queue, receive: async (signal: AbortSignal) => (received = await queue.receive(signal)) }
    const failing = { ...services, stopping, sql: { begin: () => Promise.reject(new Error('killed')) } as never }
    await expect(receiveOnce(failing, watched)).rejects.toThrow('killed')
    expect(await countMessages(moto, url)).toBe(count)
    // As after the visibility timeout.
    for (const { receiptHandle: ReceiptHandle } of received)
      await moto.send(new sqs.ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }))
    expect(await receiveOnce({ ...services, stopping }, watched)).toBe(count)
    expect(received.map(({ receiveCount }) => receiveCount)).toEqual(received.map(() => 2))
    expect(await countMessages(moto, url)).toBe(0)
    await expect.poll(() => readStatus(aws, bought.licenseArn), waiting).toBe('active')

    const polled = await createQueue(moto, 'polled')
    const other = await startTestService(
      { AWS_MARKETPLACE_REGION: 'us-east-1', AWS_MARKETPLACE_QUEUES: polled },
      { sharedWith: aws.service },
    )
    const next = await send(polled)
    await expect.poll(() => countMessages(moto, polled), waiting).toBe(0)
    await expect.poll(() => readStatus(aws, next.bought.licenseArn), waiting).toBe('active')
    await other.stop()
    const missing = openQueue(services, `${motoUrl}/123456789012/none`)
    await expect(missing.receive(stopping)).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
  },
  limitMs,
)
