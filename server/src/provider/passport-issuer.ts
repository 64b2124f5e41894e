import { clientScopes } from '@passport/contract/endpoint'
import {
  type AccessToken,
  type ClientMetadata,
  type Client as ClientOf,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import type { Clients } from '../clients/cache.ts'
import { clientCredentialsGrant, deviceCodeGrant } from '../clients/registered.ts'
import type { Client } from '../clients/store.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import { createCookies } from '../http/cookies.ts'
import type { Door } from '../http/door.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import { browserStateOf } from '../sessions/cookie.ts'
import { hashToken, isSameSecret, type Vault } from '../vault.ts'
import { apiScope, audienceOf, signAccessToken } from './access-token.ts'
import { claimsOfScope, findAccount } from './account.ts'
import { adoptSession, isForeign } from './adopt-session.ts'
import { checkSessionFrameOf, sessionStateOf } from './check-session.ts'
import { deviceCodeSeconds, judgePoll, matchParameter, noteDeviceRequest, pinParameter } from './device-flow.ts'
import { grantOf } from './grants.ts'
import { createIssuer, type Issuer } from './issuer.ts'
import { createPolicy } from './policy.ts'

interface Given {
  config: Config
  door: Door
  sql: Sql
  vault: Vault
  clients: Clients
}

const hour = 60 * 60
const day = 24 * hour

/** The paths of the protocol; the token client of the specification does not know them but reads the discovery document. */
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

/** The issuer of tokens for the company's apps, at the public URL. */
export function createPassportIssuer(given: Given): Issuer {
  const { config, door, sql, vault, clients } = given
  const issuer: Issuer = createIssuer({
    name: 'passport',
    url: config.publicUrl,
    sql,
    vault,
    door,
    configuration: configurationFor(given),
    findClient: async (clientId) => metadataOf(await clients.find(clientId)),
    extend: (provider) => {
      adaptClients(provider)
      provider.on('authorization.success', (ctx, answer) => addSessionState(door, ctx, answer))
      provider.use(async (ctx, next) => {
        await next()
        const { oidc } = ctx as KoaContextWithOIDC
        const isSuccess = ctx.status === 200
        if (oidc?.route === 'discovery' && isSuccess) nameClientScopes(ctx as KoaContextWithOIDC)
        if (oidc?.route === 'device_authorization' && isSuccess)
          await noteDeviceRequest(given, ctx as KoaContextWithOIDC)
        if (oidc?.route !== 'token') return
        if (oidc.params?.['grant_type'] === deviceCodeGrant) await judgePoll(sql, ctx as KoaContextWithOIDC)
        if (isSuccess) await structureAccessToken(given, issuer, ctx as KoaContextWithOIDC)
      })
    },
  })
  return issuer
}

function configurationFor({ config, door, sql, clients }: Given): Configuration {
  const resource = audienceOf(config.publicUrl)
  return {
    routes,
    // Clients are the operator's, who may run them inside: the library's guard against private addresses is for open registration.
    // And 2.5 s are little for an application that starts on demand.
    fetch: (url, init) =>
      fetch(url, { ...init, dispatcher: undefined, signal: AbortSignal.timeout(10_000) } as unknown as RequestInit),
    discovery: { check_session_iframe: checkSessionFrameOf(config.publicUrl) },
    findAccount: (ctx, id) => findAccount(sql, ctx, id),
    loadExistingGrant: (ctx) => grantOf(sql, clients, ctx),
    claims: claimsOfScope,
    scopes: ['openid', 'profile', 'email', 'offline_access', apiScope],
    ttl: {
      AccessToken: hour,
      AuthorizationCode: 60,
      ClientCredentials: hour,
      DeviceCode: deviceCodeSeconds,
      Grant: 14 * day,
      IdToken: hour,
      Interaction: 10 * 60,
      RefreshToken: 14 * day,
      Session: 7 * day,
    },
    interactions: {
      policy: createPolicy(
        (ctx) => adoptSession(sql, door, clients, ctx),
        isForeign,
        async ({ oidc }) => (await clients.find(oidc.client?.clientId ?? ''))?.consent === 'always',
      ),
      url: (_ctx, { uid }) => `/connect/interaction/${uid}`,
    },
    // Without offline_access the refresh token lasts as long as the session: signing out ends it.
    // A device gets one only where the person was told that it asked for it.
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && (source.kind !== 'DeviceCode' || source.scopes.has('offline_access')),
    extraParams: [matchParameter, pinParameter],
    features: {
      devInteractions: { enabled: false },
      // A client with a secret is a resource server (RFC 7662); a public one learns of its own tokens only.
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => client.clientAuthMethod !== 'none' || isOf(client, token),
      },
      // Another client's token is left alone, and the answer does not tell (RFC 7009, section 2.2).
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => isOf(client, token) },
      // Named in the discovery document; answered by a page of ours, because the session to end is ours.
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' },
      resourceIndicators: {
        enabled: true,
        // Who asks for the scope of the API asks for a token for the API; a client that asks for itself asks for nothing else.
        defaultResource: (ctx, _client, oneOf) => {
          if (Array.isArray(oneOf)) return oneOf[0] ?? []
          return isForItself(ctx) || ctx.oidc.requestParamScopes.has(apiScope) ? resource : []
        },
        useGrantedResource: () => true,
        getResourceServerInfo: async (ctx) => ({
          scope: isForItself(ctx) ? await ownScopesOf(clients, ctx) : `openid profile email ${apiScope}`,
          audience: resource,
          accessTokenTTL: hour,
          accessTokenFormat: 'opaque',
        }),
      },
    },
  }
}

/** What a client may ask for itself; the library would take them for scopes of a person, were it told of them. */
function nameClientScopes({ body }: KoaContextWithOIDC) {
  const told = body as { scopes_supported: string[] }
  told.scopes_supported.push(...clientScopes)
}

const isForItself = ({ oidc }: KoaContextWithOIDC) => oidc.params?.['grant_type'] === clientCredentialsGrant

/** The scopes that a client asks for, all of which it may have; throws `invalid_scope` otherwise (RFC 6749, section 5.2). */
async function ownScopesOf(clients: Clients, { oidc }: KoaContextWithOIDC): Promise<string> {
  const allowed = new Set<string>((await clients.find(oidc.client?.clientId ?? ''))?.scopes)
  const asked = [...oidc.requestParamScopes]
  const refused = asked.find((scope) => !allowed.has(scope))
  if (refused !== undefined) throw new errors.InvalidScope('requested scope is not allowed', refused)
  if (asked.length === 0) throw new errors.InvalidScope('name the scopes that the token is for', '')
  return asked.join(' ')
}

const isOf = (client: ClientOf, token: { clientId?: string | undefined }) => token.clientId === client.clientId

/**
 * An app on a device: it is public, and is answered by a scheme of its own or on the loopback address, at any port (RFC
 * 8252, section 7). `http://localhost` is a web application that somebody works on.
 */
const isNative = ({ secretHash, redirectUris }: Client) =>
  secretHash === null &&
  redirectUris.length > 0 &&
  redirectUris.every((uri) => !/^https?:/.test(uri) || /^http:\/\/(127\.0\.0\.1|\[::1\])[:/]/.test(uri))

/** A row as the library knows a client; it compares secrets as their hashes. */
function metadataOf(client: Client | undefined): ClientMetadata | undefined {
  if (!client) return undefined
  const { clientId, name, secretHash, redirectUris, postLogoutRedirectUris, grantTypes, backchannelLogoutUri } = client
  return {
    client_id: clientId,
    client_name: name,
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutRedirectUris,
    grant_types: grantTypes,
    application_type: isNative(client) ? 'native' : 'web',
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    ...(backchannelLogoutUri && {
      backchannel_logout_uri: backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
    ...(secretHash
      ? { client_secret: secretHash, token_endpoint_auth_method: 'client_secret_basic' as const }
      : { token_endpoint_auth_method: 'none' as const }),
  }
}

/**
 * Tokens for the API leave as JWTs, so that services can check them by themselves. To the library they are opaque ones
 * with a row each: what revokes, introspects or ends a grant works on those as on any other.
 */
async function structureAccessToken({ config, sql }: Given, issuer: Issuer, ctx: KoaContextWithOIDC) {
  const { AccessToken: token, ClientCredentials: ownToken } = ctx.oidc.entities
  const body = ctx.body as { access_token?: string }
  if (ownToken?.aud && body.access_token) {
    const claims = { ...claimsOf(ownToken), sub: ownToken.clientId ?? '', roles: [], orgs: [] }
    body.access_token = await signAccessToken(claims, config.publicUrl, await issuer.keys())
  }
  if (!token?.aud || !token.accountId || !body.access_token) return
  const { AuthorizationCode, RefreshToken, DeviceCode } = ctx.oidc.entities
  const source = AuthorizationCode ?? RefreshToken ?? DeviceCode
  const claims = {
    ...claimsOf(token),
    sub: token.accountId,
    roles: await roles.namesOf(sql, token.accountId),
    orgs: (await orgs.listOf(sql, token.accountId)).map(({ id }) => id),
    ...(token.sid && { sid: token.sid }),
    ...(source?.authTime && { auth_time: source.authTime }),
  }
  body.access_token = await signAccessToken(claims, config.publicUrl, await issuer.keys())
}

/** What the token of a person and that of a client say alike. */
function claimsOf(token: Pick<AccessToken, 'jti' | 'clientId' | 'scope' | 'expiration' | 'jkt'>) {
  const iat = Math.floor(Date.now() / 1000)
  return {
    jti: token.jti,
    client_id: token.clientId ?? '',
    scope: token.scope ?? '',
    iat,
    exp: iat + token.expiration,
    ...(token.jkt && { cnf: { jkt: token.jkt } }),
  }
}

/** What the client's session monitor compares; the library left this to us. */
function addSessionState(door: Door, { req, oidc }: KoaContextWithOIDC, answer: Record<string, unknown> | undefined) {
  const redirectUri = URL.parse(String(oidc.params?.['redirect_uri'] ?? ''))
  if (!answer || !oidc.client || !redirectUri || redirectUri.origin === 'null') return
  const token = createCookies(req.headers.cookie, door.isSecure).get(door.sessionCookie)
  answer['session_state'] = sessionStateOf(oidc.client.clientId, redirectUri.origin, browserStateOf(token))
}

/** What is stored of a secret is its hash, so a client's must come to that; and every client learns which session it is. */
function adaptClients(provider: Provider) {
  const { prototype } = provider.Client as unknown as { prototype: ClientOf & { includeSid: () => boolean } }
  prototype.compareClientSecret = function (actual) {
    return isSameSecret(this.clientSecret ?? '', hashToken(actual))
  }
  prototype.includeSid = () => true
}
