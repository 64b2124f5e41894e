import { clientScopes } from '@passport/contract/endpoint'
import {
  type AccessToken,
  type ClientCredentials,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import type { Clients } from '../clients/cache.ts'
import { deviceCodeGrant } from '../clients/grant-types.ts'
import type { UseRecorder } from '../clients/uses.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { signAccessToken, toClientClaims, toCommonClaims } from '../oauth/access-token.ts'
import { claimsByScope } from '../oauth/claims.ts'
import { issuerScopes } from '../oauth/scopes.ts'
import type { TraceRecorder } from '../sign-in-traces/recorder.ts'
import type { Vault } from '../vault.ts'
import { findAccount } from './account.ts'
import { checkSessionIframeUrlOf } from './check-session.ts'
import { compareSecretsByHash, toClientMetadata } from './client-metadata.ts'
import { describePersonalToken, type IntrospectPersonalToken } from './describe-personal-token.ts'
import { deviceCodeSeconds, handlePoll, matchParameter, pinParameter, recordDeviceRequest } from './device-flow.ts'
import { createIssuer, type Issuer } from './issuer.ts'
import { epochSeconds, lifetimes } from './lifetimes.ts'
import { recordTraces } from './record-traces.ts'
import { createRequestReader } from './request-state.ts'
import { createResourceRules } from './resources.ts'
import { findUserClaims } from './token-claims.ts'

interface Dependencies {
  config: Config
  http: HttpContext
  sql: Sql
  vault: Vault
  clients: Clients
  uses: UseRecorder
  apis: IdentityApis
  traces: TraceRecorder
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
  const { config, http, sql, vault, clients, uses, traces } = dependencies
  const issuer: Issuer = createIssuer({
    name: 'passport',
    reader: createRequestReader(sql),
    url: config.publicUrl,
    sql,
    vault,
    http,
    configuration: buildConfiguration(dependencies),
    findClient: async (clientId) => toClientMetadata(await clients.findCurrent(clientId)),
    extend: (provider) => {
      recordTraces(provider, { sql, http, traces, log: http.log })
      compareSecretsByHash(provider, uses.recordSecret)
      includeSessionIds(provider)
      provider.use(async (ctx, next) => {
        await next()
        const { oidc } = ctx as KoaContextWithOIDC
        const isSuccess = ctx.status === 200
        if (oidc?.route === 'discovery' && isSuccess) addClientScopes(ctx as KoaContextWithOIDC)
        if (oidc?.route === 'introspection' && isSuccess)
          await describePersonalToken(http, dependencies.introspectPersonalToken, ctx as KoaContextWithOIDC)
        if (oidc?.route === 'device_authorization' && isSuccess)
          await recordDeviceRequest(dependencies, ctx as KoaContextWithOIDC)
        if (oidc?.route === 'token' && !isSuccess && oidc.params?.['grant_type'] === deviceCodeGrant)
          await handlePoll(sql, ctx as KoaContextWithOIDC)
      })
    },
    completeTokenResponse: async (ctx) => {
      await convertAccessToken(dependencies, issuer, ctx)
      uses.recordClient(ctx.oidc.client?.clientId ?? '')
    },
  })
  return issuer
}

/** The lifetime of a token, which its API determines. */
const lifetimeOf = (_ctx: unknown, token: AccessToken | ClientCredentials) =>
  token.resourceServer?.accessTokenTTL ?? lifetimes.AccessToken

function buildConfiguration({ config, sql, clients, apis }: Dependencies): Configuration {
  const { resourceIndicators, mayIntrospect } = createResourceRules(sql, apis, clients)
  return {
    routes,
    discovery: { check_session_iframe: checkSessionIframeUrlOf(config.publicUrl) },
    findAccount: (ctx, id) => findAccount(sql, ctx, id),
    claims: claimsByScope,
    scopes: issuerScopes,
    ttl: {
      AccessToken: lifetimeOf,
      AuthorizationCode: lifetimes.AuthorizationCode,
      ClientCredentials: lifetimeOf,
      DeviceCode: deviceCodeSeconds,
      Grant: lifetimes.Grant,
      IdToken: lifetimes.IdToken,
      RefreshToken: lifetimes.RefreshToken,
      Session: lifetimes.Session,
    },
    // Without offline_access the refresh token is bound to the session and ends at sign-out. A device has no session, so
    // it gets one only with that scope.
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && (source.kind !== 'DeviceCode' || source.scopes.has('offline_access')),
    extraClientMetadata: { properties: ['pkce'] },
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' || client['pkce'] !== 'optional' },
    extraParams: [matchParameter, pinParameter],
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

/** Adds the scopes of clients to the discovery document. The library would treat configured scopes as users' scopes. */
function addClientScopes({ body }: KoaContextWithOIDC) {
  const metadata = body as { scopes_supported: string[] }
  metadata.scopes_supported.push(...clientScopes)
}

/**
 * Converts the API token of a response to a JWT, so that services can verify it without a request. For the library it
 * is an opaque token with an artifact, so revocation, introspection and grants work as usual. Throws `invalid_scope` if
 * the API no longer has any of the granted scopes.
 */
async function convertAccessToken({ config, sql, apis }: Dependencies, issuer: Issuer, ctx: KoaContextWithOIDC) {
  const { AccessToken: userToken, ClientCredentials: clientToken } = ctx.oidc.entities
  const token = userToken ?? clientToken
  const body = ctx.body as { access_token?: string }
  if (typeof token?.aud !== 'string' || !body.access_token) return
  if (!token.scope) throw new errors.InvalidScope('the API no longer has the granted scopes', '')
  const api = (await apis.list()).find(({ audience }) => audience === token.aud)
  const { AuthorizationCode, RefreshToken, DeviceCode, Grant } = ctx.oidc.entities
  const source = AuthorizationCode ?? RefreshToken ?? DeviceCode
  const grantedScopes = Grant?.getOIDCScope().split(' ') ?? []
  // A token of another API has the scopes of that API only.
  const scopes = new Set(api?.builtIn ? token.scope.split(' ') : source?.scopes)
  const subject = userToken?.accountId
    ? await findUserClaims(sql, {
        userId: userToken.accountId,
        api,
        grantedScopes,
        withEntitlements: scopes.has('entitlements'),
      })
    : toClientClaims(token.clientId ?? '')
  const claims = {
    ...toCommonClaims({
      jti: token.jti,
      aud: token.aud,
      clientId: token.clientId ?? '',
      scope: token.scope,
      now: epochSeconds(),
      lifetimeSec: token.expiration,
      jkt: token.jkt,
    }),
    ...subject,
    ...(userToken?.sid && { sid: userToken.sid }),
    ...(source?.authTime && { auth_time: source.authTime }),
  }
  body.access_token = signAccessToken(claims, config.publicUrl, await issuer.keys())
}

/** Adds the session id to every ID token, whether or not the client is notified of logouts. */
function includeSessionIds(provider: Provider) {
  const { prototype } = provider.Client as unknown as { prototype: { includeSid: () => boolean } }
  prototype.includeSid = () => true
}
