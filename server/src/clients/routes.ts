import { testClientSignIn } from '@passport/contract/client-sign-in-test'
import * as api from '@passport/contract/clients'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { decodeCursor, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { sessionRequired } from '../http/problems.ts'
import { Created, WithETag } from '../http/serve.ts'
import { testSignIn } from '../provider/sign-in-test.ts'
import { create, createSecret, remove, removeSecret, replace, restore, toFields } from './change.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

const path = api.listClients.path

/** The orders of the list: the key of a client in each, and the check of a cursor's key. */
const orders = {
  name: { keyOf: ({ sortName }: store.ClientRow) => sortName, isKey: () => true },
  updated: { keyOf: ({ updatedAt }: store.ClientRow) => updatedAt, isKey: isInstant },
}

/** The applications that use Passport, called clients in OAuth. */
export const clients: Feature = ({ serve }, services) => {
  const { sql } = services
  serve(api.listClients, async ({ query }) => {
    const { query: word = '', sort = 'name', direction } = query
    const { keyOf, isKey } = orders[sort]
    const range = { after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([
      store.list(sql, { word, sort, isDescending: direction === 'desc', ...range }),
      store.count(sql, word),
    ])
    const page = toPage({ path, query, rows, count, cursorOf: (row) => [keyOf(row), row.clientId] })
    return { ...page, items: await toClients(sql, page.items) }
  })

  serve(api.createClient, async ({ caller, body, visit }) => {
    const { clientId, secret } = await changed(create(sql, body, { caller, visit }))
    const client = await find(clientId)
    return new Created({ client, secret }, `${path}/${clientId}`, etagHeader(client))
  })

  serve(api.getClient, async ({ params }) => {
    const client = await find(params.clientId)
    return new WithETag(client, etagHeader(client))
  })

  serve(api.putClient, async ({ caller, params, body, visit, preconditions }) => {
    await changed(replace(sql, params.clientId, body, { caller, visit, preconditions }))
    const client = await find(params.clientId)
    return new WithETag(client, etagHeader(client))
  })

  serve(api.deleteClient, ({ caller, params, visit, preconditions }) =>
    changed(remove(sql, params.clientId, { caller, visit, preconditions })),
  )

  serve(api.restoreClient, async ({ caller, params: { clientId }, visit }) => {
    await changed(restore(sql, clientId, { caller, visit }))
    return find(clientId)
  })

  serve(api.createClientSecret, async ({ caller, params: { clientId }, visit }) => {
    const created = await changed(createSecret(sql, clientId, { caller, visit }))
    return new Created(created, `${path}/${clientId}/secrets/${created.secretId}`, { etag: created.secretId })
  })

  serve(api.deleteClientSecret, ({ caller, params, visit }) =>
    changed(removeSecret(sql, params.clientId, params.secretId, { caller, visit })),
  )

  serve(testClientSignIn, async ({ caller, params: { clientId }, body }) => {
    if (caller.client) throw sessionRequired()
    if (!(await store.findRow(sql, clientId))) throw problems.clientNotFound()
    return testSignIn(services, { clientId, ...body }, caller.id)
  })

  async function changed<T>(change: Promise<T>): Promise<T> {
    const result = await change
    services.clients.clear()
    services.clientTokens.clear()
    return result
  }

  async function find(clientId: string): Promise<api.Client> {
    const row = await store.findRow(sql, clientId)
    if (!row) throw problems.clientNotFound()
    const [client] = await toClients(sql, [row])
    return client as api.Client
  }
}

const etagHeader = ({ version }: api.Client) => ({ etag: String(version) })

async function toClients(sql: Sql, rows: store.ClientRow[]): Promise<api.Client[]> {
  const secrets = await store.listSecrets(
    sql,
    rows.map(({ clientId }) => clientId),
  )
  const secretsByClient = Map.groupBy(secrets, ({ clientId }) => clientId)
  return rows.map((row) => {
    const { clientId, source, confidential, lastUsedAt, createdAt, updatedAt, version } = row
    const listed = (secretsByClient.get(clientId) ?? []).map(({ clientId: _, ...secret }) => secret)
    return {
      clientId,
      source,
      confidential,
      ...toFields(row),
      secrets: listed,
      lastUsedAt,
      createdAt,
      updatedAt,
      version,
    }
  })
}
