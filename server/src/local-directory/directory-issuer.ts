import { interactionPolicy } from 'oidc-provider'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { HttpContext } from '../http/http-context.ts'
import { deriveDirectoryClient } from '../identity-providers/upstreams.ts'
import { claimsByScope } from '../provider/account.ts'
import { createIssuer, type Issuer } from '../provider/issuer.ts'
import type { Vault } from '../vault.ts'
import * as store from './store.ts'

interface Dependencies {
  config: Config
  http: HttpContext
  sql: Sql
  vault: Vault
}

const day = 24 * 60 * 60

/**
 * Creates the built-in directory as a separate issuer under /idp, with one client: Passport. The directory is
 * independent of the rest of the server, so that signing in with it works as with an external provider.
 */
export function createDirectoryIssuer({ config, http, sql, vault }: Dependencies): Issuer {
  const client = deriveDirectoryClient(config.publicUrl, vault)
  const { openid, profile, email } = claimsByScope
  return createIssuer({
    name: 'directory',
    url: `${config.publicUrl}/idp`,
    sql,
    vault,
    http,
    configuration: {
      routes: {
        authorization: '/authorize',
        token: '/token',
        userinfo: '/userinfo',
        jwks: '/jwks',
        end_session: '/endsession',
      },
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uris: [client.redirectUri],
          post_logout_redirect_uris: [client.postLogoutRedirectUri],
          token_endpoint_auth_method: 'client_secret_basic',
          grant_types: ['authorization_code'],
          require_auth_time: true,
        },
      ],
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
      interactions: { policy: createPolicy(), url: (_ctx, { uid }) => `/idp/login/${uid}` },
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

function toClaims({ id, name, displayName, email }: store.DirectoryUser) {
  return { sub: id, name: displayName, preferred_username: name, email, email_verified: true }
}
