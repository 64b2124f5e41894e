import * as api from '@passport/contract/aws-subscriptions'
import type { Feature } from '../feature.ts'
import { decodeCursor, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import * as problems from './problems.ts'
import { assign, create, refreshNow, replace } from './subscription-change.ts'
import * as store from './subscription-list-store.ts'
import { listTimeline } from './timeline.ts'

const path = api.listAwsSubscriptions.path

/** The subscriptions of buyers in AWS Marketplace, for administrators. */
export const serveSubscriptions: Feature = ({ serve }, services) => {
  const { sql } = services

  serve(api.listAwsSubscriptions, async ({ query }) => {
    const { query: word = '', productId, orgId, status, sort = 'created', direction = 'desc' } = query
    const filter = { word, productId, orgId, status }
    const range = { after: decodeCursor(query.after, isInstant), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([
      store.list(sql, { ...filter, ...range, sort, isDescending: direction === 'desc' }),
      store.count(sql, filter),
    ])
    const cursorOf = (row: api.AwsSubscription) => [row[`${sort}At`], row.id] as const
    return toPage({ path, query, rows, count, cursorOf })
  })

  serve(api.createAwsSubscription, async ({ caller, body, visit }) => {
    const id = await create(sql, body, { caller, visit })
    const created = await find(id)
    return new Created(created, `${path}/${id}`, etagHeader(created))
  })

  serve(api.getAwsSubscription, async ({ params, preconditions }) => {
    const found = await find(params.subscriptionId)
    preconditions.check(etagHeader(found))
    return new WithETag(found, etagHeader(found))
  })

  serve(api.putAwsSubscription, async ({ caller, params, body, visit, preconditions }) => {
    await replace(sql, params.subscriptionId, body, { caller, visit, preconditions })
    const found = await find(params.subscriptionId)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.refreshAwsSubscription, async ({ caller, params, visit }) => {
    await refreshNow(services, params.subscriptionId, { caller, visit })
    return find(params.subscriptionId)
  })

  serve(api.assignAwsSubscription, async ({ caller, params, query, body, visit, preconditions }) => {
    const target = { orgId: body.orgId, isPreview: query.preview }
    await assign(sql, params.subscriptionId, target, { caller, visit, preconditions })
    const found = await find(params.subscriptionId)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.listAwsSubscriptionEvents, async ({ params }) => {
    await find(params.subscriptionId)
    return listTimeline(sql, params.subscriptionId)
  })

  async function find(id: string): Promise<api.AwsSubscription> {
    const found = await store.find(sql, id)
    if (!found) throw problems.subscriptionNotFound()
    return found
  }
}

const etagHeader = ({ version }: api.AwsSubscription) => ({ etag: String(version) })
