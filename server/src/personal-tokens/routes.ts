import * as api from '@passport/contract/personal-tokens'
import type { Feature } from '../feature.ts'
import { userNotFound } from '../http/problems.ts'
import { Created } from '../http/serve.ts'
import { describeScopes } from '../provider/scopes.ts'
import * as users from '../users/store.ts'
import { create, revoke } from './change.ts'
import { listGrantableScopes } from './scopes.ts'
import * as store from './store.ts'

const path = api.listPersonalTokens.path

/** The personal tokens of users: credentials for their own programs. */
export const personalTokens: Feature = ({ serve }, services) => {
  const { sql, clients, apis } = services

  serve(api.listPersonalTokens, ({ caller }) => listTokens(caller.id))

  serve(api.listPersonalTokenScopes, () => listGrantableScopes(apis))

  serve(api.createPersonalToken, async ({ caller, body, visit }) => {
    const { row, value } = await create(services, body, { caller, visit })
    return new Created({ token: await toToken(row), value }, `${path}/${row.id}`, { etag: row.id })
  })

  serve(api.revokePersonalToken, ({ caller, params, visit }) =>
    revoke(services, { userId: caller.id, tokenId: params.tokenId }, { caller, visit }),
  )

  serve(api.listUserPersonalTokens, async ({ params }) => {
    if (!(await users.find(sql, params.userId))) throw userNotFound()
    return listTokens(params.userId)
  })

  serve(api.revokeUserPersonalToken, ({ caller, params, visit }) => revoke(services, params, { caller, visit }))

  async function listTokens(userId: string): Promise<api.PersonalToken[]> {
    return Promise.all((await store.list(sql, userId)).map(toToken))
  }

  async function toToken(row: store.PersonalTokenRow): Promise<api.PersonalToken> {
    const { id, name, start, scopes, createdAt, expiresAt } = row
    const [described, lastUse] = [await describeScopes(scopes, apis), await toLastUse(row)]
    return { id, name, start, scopes: described, createdAt, expiresAt, lastUse }
  }

  async function toLastUse({ lastUsedAt, lastUsedIp, lastUsedClient: id }: store.PersonalTokenRow) {
    if (lastUsedAt === null) return null
    const client = id === null ? null : { id, name: (await clients.find(id))?.name ?? id }
    return { at: lastUsedAt, ip: lastUsedIp ?? '', client }
  }
}
