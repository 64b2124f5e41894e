import { Hono } from 'hono'
import { serveApp } from '../serve-app.ts'
import { createControl } from './control.ts'
import { createDeliveries, type Deliveries, type MarketplaceEvent, type Target } from './deliveries.ts'
import type { Fault, Operation } from './faults.ts'
import { type Market, type MeteredRecord, type SellerProduct, sellerAccountId } from './market.ts'
import { type AwsRequest, type Endpoints, serveProtocol } from './protocol.ts'
import { createPurchases, type Purchases } from './purchases.ts'
import { type SimulatedQueue, serveQueues } from './queue.ts'
import { type SimulatedSns, serveSns } from './sns.ts'
import { stageProducts } from './stage-products.ts'
import { readState, saveState } from './state-file.ts'

export type { Fault, Operation } from './faults.ts'
export type { SellerProduct } from './market.ts'
export type { LandingForm, Order, Purchase } from './purchases.ts'

export interface AwsMarketplaceOptions {
  port?: number
  /** Where a buyer's browser posts the registration token. */
  fulfilmentUrl: string
  /** The API destination of EventBridge, and the key that its connection sends. */
  eventsUrl: string
  eventKey: string
  /** Where EventBridge sends new events: to the API destination by default, or to the queue of `eventQueueUrl`. */
  eventTarget?: Target
  /** The products of the seller; those of the demo world by default. */
  products?: SellerProduct[]
  /** A file in which purchases and events outlast a restart. */
  stateFile?: string
  /** The limit of each operation; 10 by default, as at AWS. */
  requestsPerSecond?: number
}

export interface RunningAwsMarketplace extends Purchases {
  /** The control page, and the endpoint of the three services. */
  url: string
  /** The variables with which the AWS SDK of the server finds the services and its credentials. */
  environment: Record<string, string>
  products: SellerProduct[]
  /** Makes a token expire that was issued hours ago. */
  expireToken: (token: string) => void
  /** `held` keeps new events until they are delivered one by one. */
  setDelivery: (mode: 'automatic' | 'held') => void
  /** Delivers an event, held or not, once or several times. Returns the statuses of the responses. */
  deliver: Deliveries['deliver']
  /** Delivers all held events, oldest or newest first. */
  deliverHeld: Deliveries['deliverHeld']
  /** Loses an event that is held or failing. */
  drop: Deliveries['drop']
  /** The events, oldest first. */
  events: () => MarketplaceEvent[]
  /** Lets the next requests of an operation fail. */
  failNext: (operation: Operation, fault: Fault, times?: number) => void
  /** Ends all faults, also those that no request has met. */
  clearFaults: () => void
  /** The requests since the start. */
  requests: () => AwsRequest[]
  /** The records that were metered. */
  usage: () => MeteredRecord[]
  /** Opens a queue of SQS by its name. */
  queue: (name: string) => SimulatedQueue
  queueUrl: (name: string) => string
  /** The queue that can be the target of the events. */
  eventQueueUrl: string
  /** Sends all held events to a queue instead of the API destination. */
  deliverHeldTo: (queueName: string) => void
  sns: SimulatedSns
  stop: () => Promise<void>
}

const eventQueue = 'marketplace-events'
const accessKeyId = 'AKIASTAGEEXAMPLE0001'

/**
 * Starts a simulated AWS Marketplace of one seller: the services for metering, entitlements and agreements by the
 * protocols of AWS, buyers, and EventBridge with an API destination.
 */
export async function startAwsMarketplace(options: AwsMarketplaceOptions): Promise<RunningAwsMarketplace> {
  const products = options.products ?? structuredClone(stageProducts)
  const { events, ...state } = readState(options.stateFile)
  const market: Market = { products, ...state }
  const save = () => saveState(options.stateFile, { ...market, events })
  const endpoints: Endpoints = {
    accessKeyId,
    requestsPerSecond: options.requestsPerSecond ?? 10,
    faults: [],
    requests: [],
  }
  const app = new Hono()
  const queue = serveQueues(app)
  const deliveries = createDeliveries(market, {
    ...options,
    target: options.eventTarget,
    sendToQueue: (body) => queue(eventQueue).send(body),
    events,
    onPublish: save,
  })
  const purchases = createPurchases(market, deliveries, options.fulfilmentUrl)
  const sns = serveSns(app, { endpoint: options.eventsUrl.replace(/events$/, 'sns'), ownUrl: () => url })
  serveProtocol(app, market, endpoints)
  app.route('/', createControl({ market, endpoints, deliveries, purchases, eventQueue: queue(eventQueue) }))

  const served = await serveApp(app, options.port)
  const url = `http://127.0.0.1:${served.port}`
  const queueUrl = (name: string) => `${url}/${sellerAccountId}/${name}`
  return {
    ...purchases,
    url,
    environment: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: 'known-to-everyone-who-reads-this-file',
      // A developer's own profile and session would take precedence.
      AWS_PROFILE: '',
      AWS_SESSION_TOKEN: '',
      AWS_ENDPOINT_URL_MARKETPLACE_METERING: url,
      AWS_ENDPOINT_URL_MARKETPLACE_ENTITLEMENT_SERVICE: url,
      AWS_ENDPOINT_URL_MARKETPLACE_AGREEMENT: url,
      AWS_ENDPOINT_URL_SQS: url,
      AWS_ENDPOINT_URL_SNS: url,
    },
    products,
    expireToken: (token) => {
      for (const issued of market.tokens)
        if (issued.token === token) issued.expiresAt = new Date(Date.now() - 1).toISOString()
    },
    setDelivery: (mode) => {
      deliveries.mode = mode
    },
    deliver: deliveries.deliver,
    deliverHeld: deliveries.deliverHeld,
    drop: deliveries.drop,
    events: () => events,
    failNext: (operation, fault, times = 1) => {
      endpoints.faults.push({ operation, fault, times })
    },
    clearFaults: () => {
      endpoints.faults = []
    },
    requests: () => endpoints.requests,
    usage: () => market.usage,
    queue,
    queueUrl,
    eventQueueUrl: queueUrl(eventQueue),
    deliverHeldTo: (name) => {
      for (const event of events.filter(({ status }) => status === 'held')) {
        queue(name).send(JSON.stringify(event.body))
        event.status = 'delivered'
      }
    },
    sns,
    stop: async () => {
      deliveries.stop()
      save()
      await served.stop()
    },
  }
}
