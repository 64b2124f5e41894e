import type { Config } from '../config.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { hashToken } from '../vault.ts'
import * as store from './store.ts'

export const devTokensClientId = 'passport-dev-tokens'
export const deviceTestClientId = 'passport-device-test'
/** An application asks for itself, with no person (RFC 6749, section 4.4). */
export const clientCredentialsGrant = 'client_credentials'
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The page that asks for developer tokens, which is also where their answer goes. */
export const devTokensPageOf = (publicUrl: string): string => `${publicUrl}/app/developer/tokens`

/** Makes the built-in clients, and those of the configuration, what this server knows of them. */
export function registerClients(sql: Sql, config: Config): Promise<void> {
  const wanted = [...builtIn(config), ...config.clients.map(fromConfiguration)]
  return transaction(sql, async (sql) => {
    for (const client of wanted) await store.save(sql, client)
    for (const source of ['built-in', 'configuration'] as const) {
      const keep = wanted.filter((client) => client.source === source).map(({ clientId }) => clientId)
      await store.removeOthers(sql, source, keep)
    }
  })
}

function builtIn({ publicUrl }: Config): store.Client[] {
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

const fromConfiguration = (client: Config['clients'][number]): store.Client => ({
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
