import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Clients } from '../clients/cache.ts'
import type { UseRecorder } from '../clients/uses.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { claimsByScope } from '../oauth/claims.ts'
import { issuerScopes } from '../oauth/scopes.ts'
import type { Vault } from '../vault.ts'
import { findAccount } from './account.ts'
import { compareSecretsByHash, toClientMetadata } from './client-metadata.ts'
import { describePersonalToken, type IntrospectPersonalToken } from './describe-personal-token.ts'
import { createIssuer, type Issuer } from './issuer.ts'
import { lifetimes } from './lifetimes.ts'
import { createResourceRules } from './resources.ts'

interface Dependencies {
  config: Config
  http: HttpContext
  sql: Sql
  vault: Vault
  clients: Clients
  uses: UseRecorder
  apis: IdentityApis
  introspectPersonalToken: IntrospectPersonalToken
}

/** The paths of the protocol; clients read them from the discovery document. */
const routes = {
  authorization: '/connect/authorize',
  token: '/connect/token',
  userinfo: '/connect/userinfo',
  revocation: '/connect/revocation',
  introspection: '/connect/introspect',
  end_session: '/connect/endsession',
  jwks: '/connect/jwks',
  pushed_authorization_request: '/connect/par',
  device_authorization: '/connect/deviceauthorization',
}

/** Creates the issuer of tokens for the company's apps, at the public URL. */
export function createPassportIssuer(dependencies: Dependencies): Issuer {
  const { config, http, sql, vault, clients, uses } = dependencies
  return createIssuer({
    name: 'passport',
    url: config.publicUrl,
    sql,
    vault,
    http,
    configuration: buildConfiguration(dependencies),
    findClient: async (clientId) => toClientMetadata(await clients.findCurrent(clientId)),
    extend: (provider) => {
      compareSecretsByHash(provider, uses.recordSecret)
      includeSessionIds(provider)
      provider.use(async (ctx, next) => {
        await next()
        const { oidc } = ctx as KoaContextWithOIDC
        const isSuccess = ctx.status === 200
        if (oidc?.route === 'introspection' && isSuccess)
          await describePersonalToken(http, dependencies.introspectPersonalToken, ctx as KoaContextWithOIDC)
      })
    },
  })
}

function buildConfiguration({ sql, apis }: Dependencies): Configuration {
  const { resourceIndicators, mayIntrospect } = createResourceRules(sql, apis)
  return {
    routes,
    findAccount: (_ctx, id) => findAccount(sql, id),
    claims: claimsByScope,
    scopes: issuerScopes,
    ttl: {
      AccessToken: lifetimes.AccessToken,
      AuthorizationCode: lifetimes.AuthorizationCode,
      Grant: lifetimes.Grant,
      IdToken: lifetimes.IdToken,
      RefreshToken: lifetimes.RefreshToken,
      Session: lifetimes.Session,
    },
    extraClientMetadata: { properties: ['pkce'] },
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' || client['pkce'] !== 'optional' },
    // RFC 6749, section 4.1.3, requires `redirect_uri` with every code that has one.
    allowOmittingSingleRegisteredRedirectUri: false,
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: mayIntrospect },
      // Enabled for the discovery document.
      revocation: { enabled: true },
      // Enabled for the discovery document. Our own page serves the endpoint, because it ends the Passport session.
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' },
      resourceIndicators,
    },
  }
}

/** Adds the session id to every ID token, whether or not the client is notified of logouts. */
function includeSessionIds(provider: Provider) {
  const { prototype } = provider.Client as unknown as { prototype: { includeSid: () => boolean } }
  prototype.includeSid = () => true
}
