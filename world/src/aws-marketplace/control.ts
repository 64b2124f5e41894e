import { type Context, Hono } from 'hono'
import type { Deliveries } from './deliveries.ts'
import { type Fault, faults, type Operation, operations } from './faults.ts'
import { findAgreement, findProduct, listEntitled, type Market, type Quantities, type SellerProduct } from './market.ts'
import { renderAgreementPage, renderHomePage, renderOrderPage } from './pages.ts'
import type { Endpoints } from './protocol.ts'
import type { Purchases } from './purchases.ts'
import type { SimulatedQueue } from './queue.ts'

interface World {
  market: Market
  endpoints: Endpoints
  deliveries: Deliveries
  purchases: Purchases
  eventQueue: SimulatedQueue
}

/** A request of a program. */
interface Play {
  action: string
  productCode?: string
  agreementId?: string
  eventId?: string
  quantities?: Quantities
  isTrial?: boolean
}

const shownAgreements = 20
const shownEvents = 100
const shownRecords = 100

/** Creates the pages on which a visitor buys, changes and ends subscriptions, and chooses deliveries and faults. */
export function createControl({ market, endpoints, deliveries, purchases, eventQueue }: World): Hono {
  const app = new Hono()
  app.onError((error, c) => c.text(error.message, 400))

  app.get('/', (c) => c.html(renderHomePage(market, deliveries, endpoints, eventQueue.messages().length)))
  app.get('/products/:code', (c) => c.html(renderOrderPage(market, findProduct(market, c.req.param('code')))))
  app.post('/products/:code', async (c) => {
    const product = findProduct(market, c.req.param('code'))
    const form = await c.req.formData()
    const { agreementId } = await purchases.buy({
      product: product.code,
      quantities: readQuantities(product, form),
      trialDays: form.get('trial') === 'on' ? (product.trialDays ?? 0) : 0,
      ...(form.get('account') && { accountId: String(form.get('account')) }),
    })
    return c.redirect(`/agreements/${agreementId}`, 303)
  })
  app.get('/agreements/:id', (c) => {
    const agreement = findAgreement(market, c.req.param('id'))
    const events = deliveries.events.filter(({ agreementId }) => agreementId === agreement.id)
    return c.html(renderAgreementPage(market, agreement, purchases.newToken(agreement.id).landingForm, events))
  })

  const { cancel, expire, renew, expireTrial, convertTrial, deprovision } = purchases
  const plays: Record<string, (input: Omit<Play, 'action'>) => unknown> = {
    buy: async ({ productCode = '', quantities = {}, isTrial }) => {
      const product = findProduct(market, productCode)
      const trialDays = isTrial ? (product.trialDays ?? 0) : 0
      return (await purchases.buy({ product: productCode, quantities, trialDays })).agreementId
    },
    amend: ({ agreementId = '', quantities = {} }) => purchases.amend(agreementId, quantities),
    renew: ({ agreementId = '' }) => renew(agreementId),
    cancel: ({ agreementId = '' }) => cancel(agreementId),
    expire: ({ agreementId = '' }) => expire(agreementId),
    'expire-trial': ({ agreementId = '' }) => expireTrial(agreementId),
    'convert-trial': ({ agreementId = '' }) => convertTrial(agreementId),
    deprovision: ({ agreementId = '' }) => deprovision(agreementId),
    deliver: async ({ eventId = '' }) => void (await deliveries.deliver(eventId)),
    'deliver-twice': async ({ eventId = '' }) => void (await deliveries.deliver(eventId, { times: 2 })),
    drop: ({ eventId = '' }) => deliveries.drop(eventId),
    'deliver-all': () => deliveries.deliverHeld('oldest-first'),
    'deliver-reversed': () => deliveries.deliverHeld('newest-first'),
    hold: () => {
      deliveries.mode = 'held'
    },
    release: () => {
      deliveries.mode = 'automatic'
    },
  }
  const changes = { cancel, expire, renew, 'expire-trial': expireTrial, 'convert-trial': convertTrial, deprovision }
  for (const [name, change] of Object.entries(changes))
    app.post(`/control/agreements/:id/${name}`, async (c) => {
      await change(c.req.param('id'))
      return goBack(c)
    })
  app.post('/control/agreements/:id/amend', async (c) => {
    const { id, productCode } = findAgreement(market, c.req.param('id'))
    await purchases.amend(id, readQuantities(findProduct(market, productCode), await c.req.formData()))
    return goBack(c)
  })

  // For programs: the simulator of Passport.
  app.get('/control/state', (c) => c.json(readState()))
  app.post('/control/play', async (c) => {
    const { action, ...input } = (await c.req.json()) as Play
    const play = plays[action]
    if (!play) throw new Error(`There is no action ${action}`)
    const agreementId = (await play(input)) || input.agreementId
    return c.json({ ...readState(), agreementId })
  })

  /** The state of the marketplace, without tokens. */
  function readState() {
    const { products, agreements, usage } = market
    return {
      mode: deliveries.mode,
      products: products.filter(({ legacy }) => !legacy),
      agreements: agreements.slice(-shownAgreements),
      events: deliveries.events.slice(-shownEvents).map(({ body: _, ...event }) => event),
      usage: usage.slice(-shownRecords),
    }
  }

  app.post('/control/delivery', async (c) => {
    const form = await c.req.formData()
    deliveries.mode = form.get('mode') === 'held' ? 'held' : 'automatic'
    deliveries.target = form.get('target') === 'queue' ? 'queue' : 'api-destination'
    return goBack(c)
  })
  app.post('/control/deliver-held', async (c) => {
    const form = await c.req.formData()
    await deliveries.deliverHeld(form.get('order') === 'newest-first' ? 'newest-first' : 'oldest-first')
    return goBack(c)
  })
  app.post('/control/events/:id/deliver', async (c) => {
    await deliveries.deliver(c.req.param('id'))
    return goBack(c)
  })
  app.post('/control/events/:id/twice', async (c) => {
    await deliveries.deliver(c.req.param('id'), { times: 2 })
    return goBack(c)
  })
  app.post('/control/events/:id/drop', (c) => {
    deliveries.drop(c.req.param('id'))
    return goBack(c)
  })

  app.post('/control/fault', async (c) => {
    const form = await c.req.formData()
    const [operation, fault] = [form.get('operation') as Operation, form.get('fault') as Fault]
    if (!operations.includes(operation) || !(fault in faults)) throw new Error('There is no such fault')
    endpoints.faults.push({ operation, fault, times: Number(form.get('times')) || 1 })
    return goBack(c)
  })
  app.post('/control/no-faults', (c) => {
    endpoints.faults = []
    return goBack(c)
  })
  return app
}

function readQuantities(product: SellerProduct, form: FormData): Quantities {
  return Object.fromEntries(
    listEntitled(product).map(({ key, entitled }) => [
      key,
      entitled === 'flag' ? form.get(key) === 'on' : Number(form.get(key)),
    ]),
  )
}

/** Redirects to the page with the button that was pressed. */
const goBack = (c: Context) => c.redirect(URL.parse(c.req.header('referer') ?? '')?.pathname ?? '/', 303)
