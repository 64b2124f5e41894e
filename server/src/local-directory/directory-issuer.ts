import { type ClientMetadata, interactionPolicy } from 'oidc-provider'
import type { Clients } from '../clients/cache.ts'
import type { Client } from '../clients/store.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { HttpContext } from '../http/http-context.ts'
import { claimsByScope } from '../oauth/claims.ts'
import { compareSecretsByHash, toClientMetadata } from '../provider/client-metadata.ts'
import { createIssuer, type Issuer } from '../provider/issuer.ts'
import type { Vault } from '../vault.ts'
import { toClaims } from './authenticate.ts'
import * as store from './store.ts'

interface Dependencies {
  config: Config
  http: HttpContext
  sql: Sql
  vault: Vault
  clients: Clients
}

const day = 24 * 60 * 60

/**
 * Creates the built-in directory as a separate issuer under /idp, with its own keys and sessions. Its clients are the
 * applications of the operator: those that need no consent.
 */
export function createDirectoryIssuer({ config, http, sql, vault, clients }: Dependencies): Issuer {
  const { openid, profile, email } = claimsByScope
  return createIssuer({
    name: 'directory',
    url: `${config.publicUrl}/idp`,
    sql,
    vault,
    http,
    findClient: (clientId) => findMetadata(clients, clientId),
    extend: compareSecretsByHash,
    configuration: {
      routes: {
        authorization: '/authorize',
        token: '/token',
        userinfo: '/userinfo',
        jwks: '/jwks',
        end_session: '/endsession',
      },
      findAccount: async (_ctx, id) => {
        const user = await store.findById(sql, id)
        return user && { accountId: id, claims: () => toClaims(user) }
      },
      loadExistingGrant: async ({ oidc }) => {
        const { client, session, provider, account } = oidc
        if (!client || !account) return undefined
        const grantId = session?.grantIdFor(client.clientId)
        const grant =
          (grantId && (await provider.Grant.find(grantId))) ||
          new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
        grant.addOIDCScope('openid profile email')
        await grant.save()
        return grant
      },
      scopes: ['openid', 'profile', 'email'],
      claims: { openid, profile, email },
      conformIdTokenClaims: false,
      ttl: {
        AccessToken: 10 * 60,
        AuthorizationCode: 60,
        Grant: day,
        IdToken: 60 * 60,
        Interaction: 10 * 60,
        Session: day,
      },
      interactions: { policy: createPolicy(), url: (_ctx, { uid }) => `/idp/interaction/${uid}` },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: true },
        dPoP: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
      },
    },
  })
}

/** Returns the prompts of the directory. Choosing an account means signing in, and its only client needs no consent. */
function createPolicy() {
  const { Prompt, base } = interactionPolicy
  const prompts = base()
  prompts.remove('consent')
  prompts.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  return prompts
}

/** Returns a client that needs no consent; undefined for others, whose users must be asked. */
export async function findTrustedClient(clients: Clients, clientId: string): Promise<Client | undefined> {
  const client = await clients.findCurrent(clientId)
  return client?.consent === 'skip' && client.grantTypes.includes('authorization_code') ? client : undefined
}

async function findMetadata(clients: Clients, clientId: string): Promise<ClientMetadata | undefined> {
  const client = await findTrustedClient(clients, clientId)
  return client && toClientMetadata({ ...client, grantTypes: ['authorization_code'], scopes: [] })
}
