import type { Services } from '../feature.ts'

/** A message of a queue. */
export interface QueueMessage {
  id: string
  body: string
  /** Deletes the message. */
  receiptHandle: string
  /** How often it was received, this time included. */
  receiveCount: number
}

/** Long polling: AWS answers at the latest after this time. */
const waitSeconds = 20
/** A message that is not deleted by then is received again, by any process. */
const visibilitySeconds = 60
const maxMessages = 10
const answerMarginMs = 10_000

/** Returns the region in the URL of a queue, such as `https://sqs.eu-west-1.amazonaws.com/123456789012/events`. */
const findRegion = (url: string) => /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\//.exec(url)?.[1]

/** The name of a queue: the last part of its URL. */
export const nameQueue = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? url

/** A queue at AWS. The SDK is loaded at the first use. */
export interface Queue {
  name: string
  /** Waits for messages; returns at most 10, or none after 20 seconds. Throws the errors of the SDK. */
  receive: (signal: AbortSignal) => Promise<QueueMessage[]>
  delete: (messages: QueueMessage[]) => Promise<void>
}

export function openQueue({ config: { awsMarketplace } }: Pick<Services, 'config'>, url: string): Queue {
  const region = findRegion(url) ?? awsMarketplace?.region ?? 'us-east-1'
  let opened: ReturnType<typeof load> | undefined
  const load = async () => {
    const sdk = await import('@aws-sdk/client-sqs')
    return { sdk, client: new sdk.SQSClient({ region, maxAttempts: 2 }) }
  }
  const open = () => {
    opened ??= load()
    return opened
  }
  return {
    name: nameQueue(url),
    receive: async (signal) => {
      const { sdk, client } = await open()
      const { Messages: messages = [] } = await client.send(
        new sdk.ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: maxMessages,
          WaitTimeSeconds: waitSeconds,
          VisibilityTimeout: visibilitySeconds,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
        { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1000 + answerMarginMs)]) },
      )
      return messages.map(({ MessageId, Body, ReceiptHandle, Attributes }) => ({
        id: MessageId ?? '',
        body: Body ?? '',
        receiptHandle: ReceiptHandle ?? '',
        receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 1),
      }))
    },
    delete: async (messages) => {
      const { sdk, client } = await open()
      await client.send(
        new sdk.DeleteMessageBatchCommand({
          QueueUrl: url,
          Entries: messages.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle })),
        }),
      )
    },
  }
}
