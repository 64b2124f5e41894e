import { createHash, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'

interface Message {
  id: string
  body: string
  sentAt: number
  visibleAt: number
  receiveCount: number
  receiptHandle: string
}

/** A queue of SQS. Any name is a queue. */
export interface SimulatedQueue {
  send: (body: string) => void
  /** The messages that are not deleted. */
  messages: () => readonly Message[]
  /** Makes messages visible that were received and not deleted, as after the visibility timeout. */
  makeVisible: () => void
}

interface Request {
  QueueUrl?: string
  MaxNumberOfMessages?: number
  WaitTimeSeconds?: number
  VisibilityTimeout?: number
  ReceiptHandle?: string
  MessageBody?: string
  Entries?: { Id: string; ReceiptHandle: string }[]
}

const pollMs = 25
const defaultVisibilitySeconds = 30
const errorOf = (type: string, message: string) => ({ __type: `com.amazonaws.sqs#${type}`, message })
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/**
 * Serves the JSON protocol of SQS at `POST /`: sending, long polling, visibility, deletion and attributes. Messages are
 * delivered at least once, in no order.
 */
export function serveQueues(app: Hono): (name: string) => SimulatedQueue {
  const queues = new Map<string, Message[]>()
  const open = (name: string): Message[] => {
    const queue = queues.get(name) ?? []
    queues.set(name, queue)
    return queue
  }
  const send = (queue: Message[], body: string): Message => {
    const now = Date.now()
    const message = { id: randomUUID(), body, sentAt: now, visibleAt: now, receiveCount: 0, receiptHandle: '' }
    queue.push(message)
    return message
  }

  const operations: Record<string, (queue: Message[], input: Request) => Promise<object> | object> = {
    SendMessage: (queue, { MessageBody = '' }) => {
      const { id, body } = send(queue, MessageBody)
      return { MessageId: id, MD5OfMessageBody: md5(body) }
    },
    ReceiveMessage: async (queue, { MaxNumberOfMessages: max = 1, WaitTimeSeconds: wait = 0, VisibilityTimeout }) => {
      const until = Date.now() + wait * 1000
      let found = takeVisible(queue, max, VisibilityTimeout)
      while (found.length === 0 && Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, pollMs).unref())
        found = takeVisible(queue, max, VisibilityTimeout)
      }
      return { Messages: found.map(toAnswer) }
    },
    DeleteMessage: (queue, { ReceiptHandle = '' }) => {
      remove(queue, ReceiptHandle)
      return {}
    },
    DeleteMessageBatch: (queue, { Entries = [] }) => {
      for (const { ReceiptHandle } of Entries) remove(queue, ReceiptHandle)
      return { Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] }
    },
    ChangeMessageVisibility: (queue, { ReceiptHandle = '', VisibilityTimeout = 0 }) => {
      const message = queue.find(({ receiptHandle }) => receiptHandle === ReceiptHandle)
      if (message) message.visibleAt = Date.now() + VisibilityTimeout * 1000
      return {}
    },
    GetQueueAttributes: (queue) => {
      const visible = queue.filter(({ visibleAt }) => visibleAt <= Date.now()).length
      return {
        Attributes: {
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(queue.length - visible),
        },
      }
    },
  }

  app.post('/', async (c, next) => {
    const [service, operation = ''] = c.req.header('x-amz-target')?.split('.') ?? []
    if (service !== 'AmazonSQS') return next()
    const respond = (status: 200 | 400, output: object) =>
      c.body(JSON.stringify(output), status, { 'content-type': 'application/x-amz-json-1.0' })
    const serve = operations[operation]
    if (!serve) return respond(400, errorOf('UnsupportedOperation', operation))
    if (!/\/sqs\/aws4_request/.test(c.req.header('authorization') ?? ''))
      return respond(400, errorOf('MissingAuthenticationToken', 'The request is not signed for SQS.'))
    const input = (await c.req.json()) as Request
    const name = URL.parse(input.QueueUrl ?? '')
      ?.pathname.split('/')
      .at(-1)
    if (!name) return respond(400, errorOf('QueueDoesNotExist', 'The specified queue does not exist.'))
    return respond(200, await serve(open(name), input))
  })

  return (name) => {
    const queue = open(name)
    return {
      send: (body) => void send(queue, body),
      messages: () => queue,
      makeVisible: () => {
        for (const message of queue) message.visibleAt = 0
      },
    }
  }
}

function takeVisible(queue: Message[], max: number, visibilitySeconds = defaultVisibilitySeconds): Message[] {
  const now = Date.now()
  const found = queue.filter(({ visibleAt }) => visibleAt <= now).slice(0, Math.min(max, 10))
  for (const message of found) {
    message.visibleAt = now + visibilitySeconds * 1000
    message.receiveCount += 1
    message.receiptHandle = randomUUID()
  }
  return found
}

const toAnswer = ({ id, body, receiptHandle, receiveCount, sentAt }: Message) => ({
  MessageId: id,
  ReceiptHandle: receiptHandle,
  MD5OfBody: md5(body),
  Body: body,
  Attributes: { ApproximateReceiveCount: String(receiveCount), SentTimestamp: String(sentAt) },
})

function remove(queue: Message[], receiptHandle: string) {
  const index = queue.findIndex((message) => message.receiptHandle === receiptHandle)
  if (index >= 0) queue.splice(index, 1)
}
