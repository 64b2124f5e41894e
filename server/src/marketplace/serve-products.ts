import * as api from '@passport/contract/aws-products'
import type { Feature } from '../feature.ts'
import { decodeCursor, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import * as problems from './problems.ts'
import { create, remove, replace, restore } from './product-change.ts'
import * as store from './product-store.ts'
import { validateProduct } from './validate-product.ts'

const path = api.listAwsProducts.path

/** The orders of the list: the key of a product in each, and the check of a cursor's key. */
const orders = {
  name: { keyOf: ({ sortName }: store.ProductRow) => sortName, isKey: () => true },
  updated: { keyOf: ({ updatedAt }: store.ProductRow) => updatedAt, isKey: isInstant },
}

/** The products that buyers subscribe to in AWS Marketplace. */
export const serveProducts: Feature = ({ serve }, services) => {
  const { sql, config } = services

  serve(api.listAwsProducts, async ({ query }) => {
    const { query: word = '', status, pricingModel, sort = 'name', direction } = query
    const filter = { word, pricingModel, isEnabled: status && status === 'enabled' }
    const { keyOf, isKey } = orders[sort]
    const range = { after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([
      store.list(sql, { ...filter, ...range, sort, isDescending: direction === 'desc' }),
      store.count(sql, filter),
    ])
    const page = toPage({ path, query, rows, count, cursorOf: (row) => [keyOf(row), row.id] })
    return { ...page, items: page.items.map(toProduct) }
  })

  serve(api.createAwsProduct, async ({ caller, body, visit }) => {
    const id = await create(sql, body, { caller, visit })
    const created = await find(id)
    return new Created(created, `${path}/${id}`, etagHeader(created))
  })

  serve(api.getAwsProduct, async ({ params, preconditions }) => {
    const found = await find(params.productId)
    preconditions.check(etagHeader(found))
    return new WithETag(found, etagHeader(found))
  })

  serve(api.putAwsProduct, async ({ caller, params, body, visit, preconditions }) => {
    await replace(sql, params.productId, body, { caller, visit, preconditions })
    const found = await find(params.productId)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.deleteAwsProduct, ({ caller, params, visit, preconditions }) =>
    remove(sql, params.productId, { caller, visit, preconditions }),
  )

  serve(api.restoreAwsProduct, async ({ caller, params, visit, preconditions }) => {
    await restore(sql, params.productId, { caller, visit, preconditions })
    const found = await find(params.productId)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.validateAwsProduct, async ({ params }) => validateProduct(services, await find(params.productId)))

  async function find(id: string): Promise<api.AwsProduct> {
    const row = await store.find(sql, id)
    if (!row) throw problems.productNotFound()
    return toProduct(row)
  }

  const marketplaceUrl = `${config.publicUrl}/passport/licensing/awsmarketplace`
  const urls = {
    fulfilment: `${marketplaceUrl}/landing`,
    events: `${marketplaceUrl}/events`,
    isHttps: config.publicUrl.startsWith('https:'),
  }
  const toProduct = (row: store.ProductRow): api.AwsProduct => ({
    ...row,
    urls,
  })
}

const etagHeader = ({ version }: api.AwsProduct) => ({ etag: String(version) })
