import { html } from 'hono/html'
import type { Deliveries, MarketplaceEvent } from './deliveries.ts'
import { faults, operations } from './faults.ts'
import {
  type Agreement,
  findProduct,
  isContract,
  listEntitled,
  type Market,
  type Quantities,
  type SellerDimension,
  type SellerProduct,
} from './market.ts'
import type { Endpoints } from './protocol.ts'
import type { LandingForm } from './purchases.ts'

const title = 'AWS Marketplace (simulated)'

const renderPage = (heading: string, body: unknown) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading} · ${title}</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --page: light-dark(#f2f3f3, #12181f); --card: light-dark(#fff, #1b232d); --text: light-dark(#16191f, #e6e9ec); --quiet: light-dark(#545b64, #a6b0ba); --line: light-dark(#d5dbdb, #36424f); --link: light-dark(#0073bb, #6cb8ff) }
* { box-sizing: border-box } body { font: 15px/1.5 'Amazon Ember', 'Helvetica Neue', Arial, sans-serif; background: var(--page); color: var(--text); margin: 0 }
header { background: #232f3e } header a { color: #fff; font-weight: 700; text-decoration: none; padding: 14px 16px } header a, main { display: block; max-width: 960px; margin: 0 auto }
main { padding: 24px 16px 64px } h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px } h2 { font-size: 18px; margin: 36px 0 12px } h3 { font-size: 16px; margin: 0 }
p { margin: 0 0 12px } a { color: var(--link) } .quiet { color: var(--quiet) } code { font-size: 13px; overflow-wrap: anywhere }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 4px; padding: 16px; margin: 0 0 12px } .card > :last-child { margin-bottom: 0 }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 12px } .grid .card { margin: 0; display: flex; flex-direction: column } .grid form, .grid .button { margin-top: auto }
.row { display: flex; flex-wrap: wrap; gap: 8px; align-items: center } .row + .row { margin-top: 12px } .spread { justify-content: space-between }
label { display: block; margin: 0 0 12px; max-width: 320px } .row label { margin: 0; max-width: none } label.check { display: flex; gap: 8px; align-items: center }
input:not([type=checkbox]), select { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--quiet); border-radius: 3px; padding: 5px 8px; width: 100% } .row input:not([type=checkbox]), .row select { width: auto; max-width: 100% }
button, .button { font: inherit; font-weight: 600; color: inherit; background: none; border: 1px solid var(--quiet); border-radius: 3px; padding: 5px 14px; cursor: pointer; text-decoration: none; display: inline-block; text-align: center }
button:hover, .button:hover { background: var(--page) } .primary { background: #ff9900; border-color: #ff9900; color: #16191f } .primary:hover { background: #ec7211 }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px } form { margin: 0 } dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0 0 12px } dt { color: var(--quiet) } dd { margin: 0; overflow-wrap: anywhere }
.actions button { padding: 2px 10px } details { margin-top: 8px } 
.planned { margin-top: 12px } pre { overflow-x: auto; margin: 8px 0 0 } h3 + .quiet { margin-top: 2px }
.state { border: 1px solid var(--line); border-radius: 10px; padding: 0 8px; font-size: 13px; white-space: nowrap }
@media (max-width: 480px) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: 8px } }
</style>
</head>
<body>
<header><a href="/">${title}</a></header>
<main>
<h1>${heading}</h1>
${body}
</main>
</body>
</html>`

const pricingModels: Record<SellerProduct['pricingModel'], string> = {
  contract: 'Contract',
  'contract-with-consumption': 'Contract with consumption',
  subscription: 'Pay as you go',
  free: 'Free',
}

/** The newest events on the first page. */
const shownEvents = 6

const formatTime = (time: string) => `${time.slice(0, 19).replace('T', ' ')} UTC`

const formatQuantities = (product: SellerProduct, quantities: Quantities) =>
  listEntitled(product)
    .map(({ key, name }) => formatQuantity(name, quantities[key]))
    .join(', ') || 'Billed by use'

const formatQuantity = (name: string, value: number | boolean | undefined) =>
  typeof value === 'number' ? `${value} ${name.toLowerCase()}` : `${name} ${value ? 'included' : 'not included'}`

const describeStatus = ({ status, trialDays, deprovisioned }: Agreement) => {
  if (deprovisioned) return 'Licence removed'
  if (status !== 'ACTIVE') return `${status === 'CANCELLED' ? 'Cancelled' : 'Expired'}, final hour`
  return trialDays === null ? 'Active' : 'Free trial'
}

const renderAction = (action: string, words: string, name?: string) =>
  html`<form method="post" action="${action}"><button${name ? html` aria-label="${words}: ${name}"` : ''}>${words}</button></form>`

/** Renders the shop, the purchases, the events and the faults. */
export function renderHomePage(
  market: Market,
  deliveries: Deliveries,
  endpoints: Endpoints,
  /** The messages of the queue that Passport has not deleted. */
  queued: number,
) {
  const { agreements, products } = market
  return renderPage(
    'Stage',
    html`<p class="quiet">Buy here as a customer of Stage would at AWS. Nothing is paid.</p>
<h2>Products</h2>
<div class="grid">${products.map(
      (product) => html`<div class="card"><h3>${product.name}</h3>
<p class="quiet">${pricingModels[product.pricingModel]}${product.trialDays ? `, ${product.trialDays} days free` : ''}<br>${product.dimensions.map(({ name }) => name).join(', ')}</p>
<a class="button primary" href="/products/${product.code}" aria-label="Subscribe to ${product.name}">Subscribe</a></div>`,
    )}</div>
<h2>Purchases</h2>
${agreements.length === 0 ? html`<p class="quiet">None yet.</p>` : ''}
${agreements.toReversed().map((agreement) => {
  const product = findProduct(market, agreement.productCode)
  return html`<div class="card row spread"><div><h3><a href="/agreements/${agreement.id}">${product.name}</a></h3>
<span class="quiet">Account ${agreement.accountId} · ${formatQuantities(product, agreement.quantities)}</span></div>
<span class="state">${describeStatus(agreement)}</span></div>`
})}
<h2>Events</h2>
<div class="card">
<form method="post" action="/control/delivery" class="row">
<label>New events are <select name="mode"><option value="automatic">delivered at once</option><option value="held"${deliveries.mode === 'held' ? html` selected` : ''}>held until you deliver them</option></select></label>
<label>and go to <select name="target"><option value="api-destination">the API destination</option><option value="queue"${deliveries.target === 'queue' ? html` selected` : ''}>the queue of SQS</option></select></label>
<button>Set</button>
</form>
${deliveries.target === 'queue' || queued > 0 ? html`<p class="quiet planned">${queued === 0 ? 'Passport has read every message of the queue.' : queued === 1 ? 'The queue has a message that Passport has not read.' : `The queue has ${queued} messages that Passport has not read.`}</p>` : ''}
${
  deliveries.events.some(({ status }) => status === 'held')
    ? html`<form method="post" action="/control/deliver-held" class="row"><button name="order" value="oldest-first">Deliver held events in order</button> <button name="order" value="newest-first">Deliver them in reverse</button></form>`
    : ''
}
</div>
${renderEvents(market, listCurrent(deliveries.events))}
<h2>Faults</h2>
${renderFaults(endpoints)}`,
  )
}

const renderFaults = ({ faults: planned }: Endpoints) => html`<div class="card">
<form method="post" action="/control/fault" class="row">
<label>The next <input type="number" name="times" value="1" min="1" max="1000" required aria-label="Number of requests"></label>
<label>requests of <select name="operation" aria-label="Operation">${operations.map((name) => html`<option>${name}</option>`)}</select></label>
<label><select name="fault" aria-label="Fault">${Object.entries(faults).map(([name, words]) => html`<option value="${name}">${words}</option>`)}</select></label>
<button>Set</button>
</form>
${planned.length > 0 ? html`<p class="planned">${planned.map(({ operation, fault, times }) => html`${operation} ${faults[fault]}, ${times}×<br>`)}</p>${renderAction('/control/no-faults', 'Remove all')}` : ''}
</div>`

const isOpen = ({ status }: MarketplaceEvent) => status === 'held' || status === 'failed'

/** Returns the newest events, and all that have not been delivered. The pages of the purchases have the others. */
const listCurrent = (events: MarketplaceEvent[]) =>
  events.filter((event, index) => isOpen(event) || index >= events.length - shownEvents)

function renderEvents(market: Market, events: MarketplaceEvent[]) {
  if (events.length === 0) return html`<p class="quiet">None yet.</p>`
  return events.toReversed().map((event) => {
    const agreement = market.agreements.find(({ id }) => id === event.agreementId)
    const attempts = event.attempts.map((status) => status || 'no response').join(', ')
    return html`<div class="card">
<div class="row spread"><h3>${event.detailType}</h3><span class="state">${event.status}${attempts && ` (${attempts})`}</span></div>
<p class="quiet">${formatTime(event.time)} · account ${agreement?.accountId}</p>
<div class="row actions">${renderAction(`/control/events/${event.id}/deliver`, event.attempts.length > 0 ? 'Deliver again' : 'Deliver', event.detailType)}
${renderAction(`/control/events/${event.id}/twice`, 'Deliver twice', event.detailType)}
${isOpen(event) ? renderAction(`/control/events/${event.id}/drop`, 'Drop', event.detailType) : ''}</div>
<details><summary>JSON</summary><pre tabindex="0"><code>${JSON.stringify(event.body, null, 2)}</code></pre></details>
</div>`
  })
}

const renderQuantity = ({ key, name, entitled }: SellerDimension, value: number | boolean) =>
  entitled === 'flag'
    ? html`<label class="check"><input type="checkbox" name="${key}" value="on"${value ? html` checked` : ''}> ${name}</label>`
    : html`<label>${name} <input type="number" name="${key}" value="${value}" min="1" max="1000000" required></label>`

/** Renders the page on which a buyer configures a purchase. */
export function renderOrderPage({ agreements }: Market, product: SellerProduct) {
  const accounts = [...new Set(agreements.map(({ accountId }) => accountId))]
  return renderPage(
    `Subscribe to ${product.name}`,
    html`<p class="quiet">${pricingModels[product.pricingModel]}</p>
<form method="post" class="card">
${listEntitled(product).map((dimension) => renderQuantity(dimension, dimension.entitled === 'flag' ? true : 10))}
${product.trialDays ? html`<label class="check"><input type="checkbox" name="trial" value="on" checked> Free trial of ${product.trialDays} days</label>` : ''}
<label>AWS account <select name="account"><option value="">A new account</option>${accounts.map((account) => html`<option>${account}</option>`)}</select></label>
<button class="primary">Subscribe</button>
</form>`,
  )
}

/** Renders a purchase: its setup at the seller, its changes, and its events. */
export function renderAgreementPage(
  market: Market,
  agreement: Agreement,
  form: LandingForm,
  events: MarketplaceEvent[],
) {
  const product = findProduct(market, agreement.productCode)
  const { id, status, trialDays, deprovisioned } = agreement
  const path = `/control/agreements/${id}`
  const entitled = listEntitled(product)
  return renderPage(
    product.name,
    html`<p class="quiet">${describeStatus(agreement)}</p>
<div class="card">
${
  status === 'ACTIVE'
    ? html`<p>Stage needs to know who you are before you can use the product.</p>
<form method="post" action="${form.action}">
${Object.entries(form.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="primary">Set up your account</button>
</form>`
    : html`<p>The subscription has ended.</p>`
}
</div>
<div class="card">
<dl><dt>AWS account</dt><dd>${agreement.accountId}</dd><dt>Agreement</dt><dd>${id}</dd><dt>Licence</dt><dd>${agreement.licenseArn}</dd>
<dt>Bought</dt><dd>${formatTime(agreement.startTime)}</dd><dt>Ends</dt><dd>${agreement.endTime.startsWith('9999') ? 'When it is cancelled' : formatTime(agreement.endTime)}</dd></dl>
${
  status === 'ACTIVE' && entitled.length > 0
    ? html`<form method="post" action="${path}/amend">${entitled.map((dimension) => renderQuantity(dimension, agreement.quantities[dimension.key] ?? 1))}
<button>Change</button></form>`
    : ''
}
</div>
<div class="row">
${status === 'ACTIVE' ? renderAction(`${path}/cancel`, 'Cancel subscription') : ''}
${status === 'ACTIVE' && trialDays === null && isContract(product) ? renderAction(`${path}/renew`, 'Renew') : ''}
${status === 'ACTIVE' && trialDays === null ? renderAction(`${path}/expire`, 'Let the term end') : ''}
${status === 'ACTIVE' && trialDays !== null ? html`${renderAction(`${path}/expire-trial`, 'Let the trial end')}${renderAction(`${path}/convert-trial`, 'Buy after the trial')}` : ''}
${status !== 'ACTIVE' && !deprovisioned ? renderAction(`${path}/deprovision`, 'End the final hour') : ''}
</div>
<h2>Events</h2>
${renderEvents(market, events)}`,
  )
}
