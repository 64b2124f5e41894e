import { hasFormOfUserId, userIdFormRefused } from '@passport/contract/clients'
import { type Config, ConfigError } from '../config.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { hashToken } from '../vault.ts'
import { endClient } from './end-client.ts'
import { deviceCodeGrant, toGrantTypes } from './grant-types.ts'
import * as store from './store.ts'

export const devTokensClientId = 'passport-dev-tokens'
export const deviceTestClientId = 'passport-device-test'

/** Returns the URL of the page for developer tokens, which is also the redirect URI of its client. */
export const devTokensPageOf = (publicUrl: string): string => `${publicUrl}/app/developer/tokens`

/**
 * Saves the built-in clients and those of the configuration, and removes former ones with their consents and tokens: a
 * later client with the same id gets none of them. Throws `ConfigError`.
 */
export function registerClients(sql: Sql, config: Config): Promise<void> {
  const clients = [...createBuiltInClients(config), ...config.clients.map(toClient)]
  return transaction(sql, async (sql) => {
    await rejectNewUserIds(sql, config)
    for (const client of clients) await store.register(sql, client)
    for (const source of ['built-in', 'configuration'] as const) {
      const keep = clients.filter((client) => client.source === source).map(({ clientId }) => clientId)
      for (const clientId of await store.removeOthers(sql, source, keep)) await endClient(sql, clientId)
    }
    await store.removeSupersededSecrets(sql)
  })
}

/**
 * Throws `ConfigError` if a client is new and has the form of a user id. One of an earlier version works on, and Health
 * names it.
 */
async function rejectNewUserIds(sql: Sql, { clients }: Config): Promise<void> {
  const ids = clients.map(({ clientId }) => clientId).filter(hasFormOfUserId)
  const known = new Set((await store.listKinds(sql, ids)).map(({ clientId }) => clientId))
  const errors = ids.filter((id) => !known.has(id)).map((id) => `CLIENTS: clientId ${id}: ${userIdFormRefused}`)
  if (errors.length > 0) throw new ConfigError(errors)
}

function createBuiltInClients({ publicUrl }: Config): store.RegisteredClient[] {
  const shared = {
    secretHash: null,
    backchannelLogoutUri: null,
    isPinRequired: false,
    scopes: [],
    idTokenSigningAlg: 'ES256' as const,
    pkce: 'required' as const,
    source: 'built-in' as const,
  }
  const page = devTokensPageOf(publicUrl)
  return [
    {
      ...shared,
      clientId: devTokensClientId,
      name: 'Developer Tokens',
      redirectUris: [page],
      postLogoutRedirectUris: [page],
      grantTypes: ['authorization_code'],
      consent: 'always',
    },
    {
      ...shared,
      clientId: deviceTestClientId,
      name: 'Device Flow Test',
      redirectUris: [],
      postLogoutRedirectUris: [],
      grantTypes: [deviceCodeGrant],
      consent: 'always',
    },
  ]
}

const toClient = (client: Config['clients'][number]): store.RegisteredClient => ({
  clientId: client.clientId,
  name: client.clientName,
  secretHash: client.clientSecret === undefined ? null : hashToken(client.clientSecret),
  redirectUris: client.redirectUris,
  postLogoutRedirectUris: client.postLogoutRedirectUris,
  grantTypes: toGrantTypes(client),
  backchannelLogoutUri: client.backchannelLogoutUri ?? null,
  consent: client.consent,
  isPinRequired: client.deviceFlow === 'pin',
  scopes: client.scopes,
  idTokenSigningAlg: client.idTokenSigningAlg,
  pkce: client.pkce,
  source: 'configuration',
})
