import type { Feature } from '../feature.ts'
import { serveEvents } from './serve-events.ts'
import { serveProducts } from './serve-products.ts'
import { serveRegistrations } from './serve-registrations.ts'
import { serveSimulator } from './serve-simulator.ts'
import { serveSubscriptions } from './serve-subscriptions.ts'
import { serveUsage } from './serve-usage.ts'

/** AWS Marketplace: products, and the subscriptions of their buyers. */
export const marketplace: Feature = (routes, services) => {
  serveEvents(routes, services)
  serveProducts(routes, services)
  serveSubscriptions(routes, services)
  serveUsage(routes, services)
  serveSimulator(routes, services)
  serveRegistrations(routes, services)
}
