import { createSign, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { certificates, key } from './sns-certificates.ts'

export interface SnsOptions {
  topicArn: string
  /** 1 is RSA-SHA1, 2 is RSA-SHA256. */
  signatureVersion?: '1' | '2'
  messageId?: string
  timestamp?: string
  /** The certificate that the message names; that of SNS by default. */
  certificate?: 'foreign' | 'ca' | 'expired'
  /** Changes the message after it was signed, as an attacker does. */
  forge?: (message: Record<string, string>) => Record<string, string>
}

/** A simulated Amazon SNS with one HTTP subscription, which sends the notifications of older listings. */
export interface SimulatedSns {
  /** Posts a notification, such as `{ action: 'subscribe-success' }`; returns the status of the response. */
  publish: (message: object, options: SnsOptions) => Promise<number>
  /** Asks the seller to confirm a subscription to a topic; returns the status of the response. */
  subscribe: (options: SnsOptions) => Promise<number>
  /** The topics whose subscriptions were confirmed. */
  confirmed: () => string[]
}

const algorithms = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' }

/** Serves the certificate and the confirmations of SNS, and sends messages to `endpoint`. */
export function serveSns(app: Hono, { endpoint, ownUrl }: { endpoint: string; ownUrl: () => string }): SimulatedSns {
  const confirmed: string[] = []
  app.get('/sns/certificates/:file', (c) => {
    const pem = certificates[c.req.param('file').replace(/\.pem$/, '')]
    return pem ? c.text(pem) : c.notFound()
  })
  app.get('/sns/confirm', (c) => {
    confirmed.push(c.req.query('topic') ?? '')
    return c.text('<ConfirmSubscriptionResponse/>')
  })

  const send = async (fields: Record<string, string>, options: SnsOptions): Promise<number> => {
    const { topicArn, signatureVersion = '2', messageId = randomUUID(), timestamp, certificate = 'sns' } = options
    const { forge = (message) => message } = options
    const message: Record<string, string> = {
      MessageId: messageId,
      TopicArn: topicArn,
      Timestamp: timestamp ?? new Date().toISOString(),
      ...fields,
    }
    const signed = Object.keys(message)
      .sort()
      .map((name) => `${name}\n${message[name]}\n`)
      .join('')
    const signature = createSign(algorithms[signatureVersion]).update(signed).sign(key, 'base64')
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain; charset=UTF-8',
        'x-amz-sns-message-type': message['Type'] ?? '',
        'user-agent': 'Amazon Simple Notification Service Agent',
      },
      body: JSON.stringify(
        forge({
          ...message,
          SignatureVersion: signatureVersion,
          Signature: signature,
          SigningCertURL: `${ownUrl()}/sns/certificates/${certificate}.pem`,
        }),
      ),
    })
    await response.body?.cancel()
    return response.status
  }

  return {
    publish: (message, options) => send({ Type: 'Notification', Message: JSON.stringify(message) }, options),
    subscribe: (options) => {
      const url = `${ownUrl()}/sns/confirm?topic=${encodeURIComponent(options.topicArn)}`
      const text = `You have chosen to subscribe to the topic ${options.topicArn}.`
      return send({ Type: 'SubscriptionConfirmation', Message: text, Token: randomUUID(), SubscribeURL: url }, options)
    },
    confirmed: () => confirmed,
  }
}
