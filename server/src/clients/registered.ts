import type { Config } from '../config.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { hashToken } from '../vault.ts'
import * as store from './store.ts'

export const devTokensClientId = 'passport-dev-tokens'
export const deviceTestClientId = 'passport-device-test'
/** The grant type for requests of a client on its own behalf (RFC 6749, section 4.4). */
export const clientCredentialsGrant = 'client_credentials'
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** Returns the URL of the page for developer tokens, which is also the redirect URI of its client. */
export const devTokensPageOf = (publicUrl: string): string => `${publicUrl}/app/developer/tokens`

/** Saves the built-in clients and those of the configuration, and removes former ones. */
export function registerClients(sql: Sql, config: Config): Promise<void> {
  const clients = [...createBuiltInClients(config), ...config.clients.map(toClient)]
  return transaction(sql, async (sql) => {
    for (const client of clients) await store.save(sql, client)
    for (const source of ['built-in', 'configuration'] as const) {
      const keep = clients.filter((client) => client.source === source).map(({ clientId }) => clientId)
      await store.removeOthers(sql, source, keep)
    }
  })
}

function createBuiltInClients({ publicUrl }: Config): store.Client[] {
  const shared = {
    secretHash: null,
    backchannelLogoutUri: null,
    isPinRequired: false,
    scopes: [],
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

const toClient = (client: Config['clients'][number]): store.Client => ({
  clientId: client.clientId,
  name: client.clientName,
  secretHash: client.clientSecret === undefined ? null : hashToken(client.clientSecret),
  redirectUris: client.redirectUris,
  postLogoutRedirectUris: client.postLogoutRedirectUris,
  grantTypes: [
    ...(client.redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(client.deviceFlow ? [deviceCodeGrant] : []),
    ...(client.redirectUris.length > 0 || client.deviceFlow ? ['refresh_token'] : []),
    ...(client.scopes.length > 0 ? [clientCredentialsGrant] : []),
  ],
  backchannelLogoutUri: client.backchannelLogoutUri ?? null,
  consent: client.consent,
  isPinRequired: client.deviceFlow === 'pin',
  scopes: client.scopes,
  source: 'configuration',
})
