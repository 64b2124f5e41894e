import type { Feature } from '../feature.ts'
import { serveProducts } from './serve-products.ts'

/** AWS Marketplace: products, and the subscriptions of their buyers. */
export const marketplace: Feature = (routes, services) => {
  serveProducts(routes, services)
}
