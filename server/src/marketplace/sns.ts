import { createVerify, type KeyObject, X509Certificate } from 'node:crypto'
import * as z from 'zod/mini'
import type { Services } from '../feature.ts'
import { parseForeignJson } from '../http/foreign-json.ts'
import * as events from './event-store.ts'
import * as problems from './problems.ts'
import { isKnownTopic } from './product-store.ts'
import { readNotification, SnsMessage, type SnsNotification } from './sns-message.ts'

type Receiver = Pick<Services, 'sql' | 'config' | 'httpClient' | 'log'>

/** SNS repeats failed deliveries for hours. An older message is a replay. */
const maxAgeMs = 24 * 60 * 60_000
const maxAheadMs = 15 * 60_000
const hostPattern = /^sns\.[a-zA-Z0-9-]{3,}\.amazonaws\.com(?:\.cn)?$/

/**
 * Receives a message of a topic of an older listing: stores a notification, and confirms a subscription. Throws 400 for
 * anything else, and 403 unless the topic is that of a product and the signature is that of SNS.
 */
export async function receiveSnsMessage(receiver: Receiver, body: string): Promise<void> {
  const message = parse(body)
  // Anyone with an AWS account can send messages with a valid signature, from a topic of their own.
  if (!(await isKnownTopic(receiver.sql, message.TopicArn))) throw problems.snsTopicUnknown()
  const age = Date.now() - Date.parse(message.Timestamp)
  if (!(age <= maxAgeMs && age >= -maxAheadMs)) throw problems.snsMessageOld()
  await checkSignature(receiver, message)
  if (message.Type === 'Notification') {
    await events.add(receiver.sql, requireEvent(message))
    return
  }
  if (message.Type === 'UnsubscribeConfirmation') {
    receiver.log.warn({ topic: message.TopicArn }, 'sns-unsubscribed')
    return
  }
  const url = requireSnsUrl(receiver, message.SubscribeURL)
  const response = await receiver.httpClient.fetch(url).catch(() => undefined)
  if (!response?.ok) throw problems.snsNotConfirmed()
  receiver.log.info({ topic: message.TopicArn }, 'sns-subscribed')
}

function parse(body: string): SnsMessage {
  try {
    const parsed = z.safeParse(SnsMessage, parseForeignJson(body))
    if (parsed.success) return parsed.data
  } catch {}
  throw problems.snsMessageInvalid()
}

function requireEvent(notification: SnsNotification): events.NewEvent {
  try {
    const event = readNotification(notification)
    if (event) return event
  } catch {}
  throw problems.snsMessageInvalid()
}

/** Returns the signed text of a message: its members in the order of their names, each with its name. */
function toSignedText(message: SnsMessage): string {
  const names =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const values = message as Record<string, unknown>
  return names.flatMap((name) => (typeof values[name] === 'string' ? [`${name}\n${values[name]}\n`] : [])).join('')
}

const algorithms: Record<string, string> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' }

async function checkSignature(receiver: Receiver, message: SnsMessage): Promise<void> {
  const algorithm = algorithms[message.SignatureVersion]
  if (!algorithm) throw problems.snsSignatureInvalid()
  const key = await readKey(receiver, message.SigningCertURL)
  const isValid = createVerify(algorithm).update(toSignedText(message)).verify(key, message.Signature, 'base64')
  if (!isValid) throw problems.snsSignatureInvalid()
}

/** Returns the URL if it is one of SNS, or of the simulation that replaces it. */
function requireSnsUrl({ config }: Receiver, text: string): URL {
  const url = URL.parse(text)
  const simulation = config.awsMarketplace?.snsEndpointUrl
  const isSimulated = simulation !== undefined && url?.origin === new URL(simulation).origin
  const isSns = url?.protocol === 'https:' && url.port === '' && hostPattern.test(url.hostname) && url.username === ''
  if (!url || !(isSns || isSimulated)) throw problems.snsSignatureInvalid()
  return url
}

const maxKeys = 20
const keyLifetimeMs = 24 * 60 * 60_000
const keys = new Map<string, { key: KeyObject; until: number }>()

/**
 * Returns the names that SNS has in its certificates: one for all regions, and in some partitions one of the region, with
 * a dot or a hyphen.
 */
const listNames = ({ hostname }: URL): string[] => ['sns.amazonaws.com', hostname, hostname.replace(/^sns\./, 'sns-')]

/** Throws unless a certificate is one of SNS for signatures, and valid now. */
function checkCertificate(certificate: X509Certificate, url: URL): void {
  const { ca, publicKey, validFrom, validTo } = certificate
  if (ca || publicKey.asymmetricKeyType !== 'rsa') throw new Error('The certificate is not one for signatures')
  if (!listNames(url).some((name) => certificate.checkHost(name) !== undefined))
    throw new Error('The certificate is not one of SNS')
  if (!(Date.parse(validFrom) <= Date.now() && Date.parse(validTo) > Date.now()))
    throw new Error('The certificate is not valid now')
}

/** Reads the public key of a certificate of SNS; it is kept for a day at most. */
async function readKey(receiver: Receiver, text: string): Promise<KeyObject> {
  const url = requireSnsUrl(receiver, text)
  if (!url.pathname.endsWith('.pem')) throw problems.snsSignatureInvalid()
  const known = keys.get(url.href)
  if (known && known.until > Date.now()) return known.key
  const response = await receiver.httpClient.fetch(url).catch(() => undefined)
  if (!response?.ok) throw problems.snsCertificateUnavailable()
  try {
    const certificate = new X509Certificate(await response.text())
    checkCertificate(certificate, url)
    const until = Date.parse(certificate.validTo)
    if (keys.size >= maxKeys) keys.clear()
    keys.set(url.href, { key: certificate.publicKey, until: Math.min(until, Date.now() + keyLifetimeMs) })
    return certificate.publicKey
  } catch {
    throw problems.snsSignatureInvalid()
  }
}
