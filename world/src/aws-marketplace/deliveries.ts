import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Agreement, findProduct, type Market, sellerAccountId } from './market.ts'

export type DetailType =
  | 'Purchase Agreement Created - Proposer'
  | 'Purchase Agreement Amended - Proposer'
  | 'Purchase Agreement Ended - Proposer'
  | 'License Updated - Manufacturer'
  | 'License Deprovisioned - Manufacturer'

/** An event, and its attempts of delivery. */
export interface MarketplaceEvent {
  id: string
  detailType: DetailType
  agreementId: string
  /** ISO 8601 without fractions, as EventBridge sends it. */
  time: string
  status: 'held' | 'delivering' | 'delivered' | 'failed' | 'dropped'
  /** The statuses of the responses; 0 for a connection that failed or took longer than 5 s. */
  attempts: number[]
  /** The JSON that EventBridge posts. */
  body: object
}

export type Target = 'api-destination' | 'queue'

export interface Deliveries {
  /** Creates events of an agreement in this order. Resolves after the first attempt to deliver each. */
  publish: (agreement: Agreement, types: DetailType[], intent?: 'RENEW') => Promise<void>
  /** The events, oldest first. */
  events: MarketplaceEvent[]
  mode: 'automatic' | 'held'
  /** The target of the rule of EventBridge: an API destination, or a queue of SQS. */
  target: Target
  /** Delivers an event once more, or several times, whatever its state. Returns the statuses of the responses. */
  deliver: (eventId: string, options?: { times?: number }) => Promise<number[]>
  /** Delivers all held events, oldest or newest first. */
  deliverHeld: (order?: 'oldest-first' | 'newest-first') => Promise<void>
  /** Loses an event that is held or failing. */
  drop: (eventId: string) => void
  stop: () => void
}

interface DeliveryOptions {
  /** The API destination, and the key that its connection sends. */
  eventsUrl: string
  eventKey: string
  /** Sends the body of a message to the queue. */
  sendToQueue: (body: string) => void
  target?: Target | undefined
  /** The events of earlier, to which others are added. */
  events: MarketplaceEvent[]
  /** Called before new events are delivered. */
  onPublish: () => void
}

/** The hard limit of EventBridge for an API destination. */
const attemptTimeoutMs = 5_000
const maxRetryMs = 60_000
/** AWS publishes events about this long after their time. Keeps the times of events apart without a future one. */
const publishingMs = 30_000

/** Delivers events to an API destination as EventBridge does: each at least once, with retries. */
export function createDeliveries(market: Market, options: DeliveryOptions): Deliveries {
  const stopping = new AbortController()
  const { events } = options

  const post = (event: MarketplaceEvent): Promise<number> =>
    fetch(options.eventsUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Amazon/EventBridge/ApiDestinations',
        'x-passport-webhook-key': options.eventKey,
      },
      body: JSON.stringify(event.body),
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(attemptTimeoutMs)]),
    }).then(
      async (response) => {
        await response.body?.cancel()
        return response.status
      },
      () => 0,
    )

  const send = async (event: MarketplaceEvent): Promise<number> => {
    let status = 200
    if (deliveries.target === 'queue') options.sendToQueue(JSON.stringify(event.body))
    else status = await post(event)
    event.attempts.push(status)
    if (isSuccess(status)) event.status = 'delivered'
    else if (event.status === 'delivering') event.status = 'failed'
    return status
  }

  /** Retries like EventBridge until the event is delivered or dropped, but starts after a second. */
  const retry = async (event: MarketplaceEvent) => {
    for (let delay = 1000; event.status === 'failed' && isRetried(event.attempts.at(-1) ?? 0); delay *= 2) {
      await pause(Math.min(delay, maxRetryMs), undefined, { signal: stopping.signal, ref: false })
      if (event.status === 'failed') await send(event)
    }
  }

  const deliverFirst = async (event: MarketplaceEvent) => {
    event.status = 'delivering'
    await send(event)
    void retry(event).catch(() => {})
  }

  const deliveries: Deliveries = {
    events,
    mode: 'automatic',
    target: options.target ?? 'api-destination',
    publish: async (agreement, types, intent) => {
      const published = types.map((detailType) => {
        const event = createEvent(market, agreement, detailType, nextTime(agreement), intent)
        events.push(event)
        return event
      })
      options.onPublish()
      if (deliveries.mode === 'automatic') for (const event of published) await deliverFirst(event)
    },
    deliver: async (eventId, { times = 1 } = {}) => {
      const event = findEvent(eventId)
      const statuses: number[] = []
      while (statuses.length < times) statuses.push(await send(event))
      return statuses
    },
    deliverHeld: async (order = 'oldest-first') => {
      const held = events.filter(({ status }) => status === 'held')
      for (const event of order === 'oldest-first' ? held : held.reverse()) await deliverFirst(event)
    },
    drop: (eventId) => {
      findEvent(eventId).status = 'dropped'
    },
    stop: () => stopping.abort(),
  }
  return deliveries

  function findEvent(eventId: string): MarketplaceEvent {
    const event = events.find(({ id }) => id === eventId)
    if (!event) throw new Error(`There is no event ${eventId}`)
    return event
  }

  /** Returns the time of the next event of an agreement, in whole seconds and later than the one before. */
  function nextTime({ id, formerIds = [], startTime }: Agreement): Date {
    const last = events.findLast(({ agreementId }) => agreementId === id || formerIds.includes(agreementId))
    const next = last ? Math.max(Date.parse(last.time) + 1000, Date.now() - publishingMs) : Date.parse(startTime)
    return new Date(Math.ceil(next / 1000) * 1000)
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300

/** Reports whether EventBridge retries after a response with this status. */
const isRetried = (status: number) => status === 0 || status >= 500 || [401, 407, 409, 429].includes(status)

const seconds = (time: Date) => time.toISOString().replace(/\.\d+Z$/, 'Z')

/** Creates an event as AWS sends it. Agreement events have no product and no licence, and the ARN has no prefix. */
function createEvent(
  market: Market,
  agreement: Agreement,
  detailType: DetailType,
  time: Date,
  intent?: 'RENEW',
): MarketplaceEvent {
  const { id: agreementId, offerId, accountId, licenseArn, productCode } = agreement
  const id = randomUUID()
  const isLicence = detailType.startsWith('License')
  const product = findProduct(market, productCode)
  const body = {
    version: '0',
    id,
    'detail-type': detailType,
    source: 'aws.agreement-marketplace',
    account: sellerAccountId,
    time: seconds(time),
    region: 'us-east-1',
    resources: [`arn:aws:aws-marketplace::aws:agreement:${agreementId}`],
    detail: {
      requestId: randomUUID(),
      catalog: 'AWSMarketplace',
      agreement: isLicence ? { id: agreementId } : describeAgreement(agreement, detailType, intent),
      ...(isLicence
        ? { product: { code: product.code, id: product.id }, license: { arn: licenseArn.slice('arn:'.length) } }
        : { resaleAuthorization: { id: null } }),
      acceptor: { accountId },
      proposer: { accountId: sellerAccountId },
      offer: { id: offerId },
    },
  }
  return { id, detailType, agreementId, time: body.time, status: 'held', attempts: [], body }
}

function describeAgreement(agreement: Agreement, detailType: DetailType, renewal?: 'RENEW') {
  const { id, status, startTime, endTime } = agreement
  if (detailType === 'Purchase Agreement Ended - Proposer') return { id, status }
  const intent = detailType === 'Purchase Agreement Created - Proposer' ? (renewal ?? 'NEW') : 'AMEND'
  return { id, intent, status, acceptanceTime: startTime, startTime, endTime }
}
