import * as api from '@passport/contract/identity-apis'
import type { Feature } from '../feature.ts'
import { decodeCursor, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { previewToken } from '../provider/token-preview.ts'
import { create, importScopes, remove, replace, restore } from './change.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

const path = api.listIdentityApis.path

/** The orders of the list: the key of an API in each, and the check of a cursor's key. */
const orders = {
  name: { keyOf: ({ sortName }: store.ApiRow) => sortName, isKey: () => true },
  updated: { keyOf: ({ updatedAt }: store.ApiRow) => updatedAt, isKey: isInstant },
}

/** The APIs for which clients get access tokens, called resource servers in OAuth. */
export const identityApis: Feature = ({ serve }, services) => {
  const { sql, apis } = services

  serve(api.listIdentityApis, async ({ query }) => {
    const { query: word = '', status, client, sort = 'name', direction } = query
    const filter = { word, client, isEnabled: status && status === 'enabled' }
    const { keyOf, isKey } = orders[sort]
    const range = { after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([
      store.list(sql, { ...filter, ...range, sort, isDescending: direction === 'desc' }),
      store.count(sql, filter),
    ])
    return toPage({ path, query, rows, count, cursorOf: (row) => [keyOf(row), row.id] })
  })

  serve(api.createIdentityApi, async ({ caller, body, visit }) => {
    const id = await changed(create(sql, body, { caller, visit }))
    const created = await find(id)
    return new Created(created, `${path}/${id}`, etagHeader(created))
  })

  serve(api.getIdentityApi, async ({ params, preconditions }) => {
    const found = await find(params.apiId)
    preconditions.check(etagHeader(found))
    return new WithETag(found, etagHeader(found))
  })

  serve(api.putIdentityApi, async ({ caller, params, body, visit, preconditions }) => {
    await changed(replace(sql, params.apiId, body, { caller, visit, preconditions }))
    const found = await find(params.apiId)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.deleteIdentityApi, ({ caller, params, visit, preconditions }) =>
    changed(remove(sql, params.apiId, { caller, visit, preconditions })),
  )

  serve(api.restoreIdentityApi, async ({ caller, params, visit, preconditions }) => {
    await changed(restore(sql, params.apiId, { caller, visit, preconditions }))
    const found = await find(params.apiId)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.importApiScopes, async ({ caller, params, body, visit, preconditions }) => {
    const result = await changed(importScopes(sql, params.apiId, body, { caller, visit, preconditions }))
    return new WithETag(result, etagHeader(await find(params.apiId)))
  })

  serve(api.previewApiToken, async ({ params, query }) => {
    await find(params.apiId)
    return previewToken(services, { ...query, apiId: params.apiId })
  })

  async function changed<T>(change: Promise<T>): Promise<T> {
    const result = await change
    apis.clear()
    return result
  }

  async function find(id: string): Promise<api.IdentityApi> {
    const row = await store.find(sql, id)
    if (!row || row.deletedAt !== null) throw problems.apiNotFound()
    return row
  }
}

const etagHeader = ({ version }: api.IdentityApi) => ({ etag: String(version) })
