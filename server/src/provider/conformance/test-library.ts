import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type ClientMetadata,
  type Configuration,
  errors,
  type InteractionResults,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import { vi } from 'vitest'
import type { Client } from '../../clients/store.ts'
import { admits, canIntrospect, findApisWithScopes, scopeNamesOf } from '../../identity-apis/scopes.ts'
import { onFileEnd } from '../../test-cleanups.ts'
import type { TestService } from '../../test-service.ts'
import * as users from '../../users/store.ts'
import { loadKeys } from '../keys.ts'

// The library `oidc-provider` as a server of its own, the oracle of the comparison. It has the issuer identifier, the
// clients, the users and the keys of the service, keeps everything else in memory, and shares no code with the provider.

/** The secrets of the clients that are compared; undefined for a public one. The service keeps only their hashes. */
export type Secrets = Record<string, string | undefined>

const { Check, Prompt, base } = interactionPolicy
const hourSeconds = 60 * 60
const daySeconds = 24 * hourSeconds

/** Starts the library beside a service; returns its address and the library. Stops after the tests of the file. */
export async function startLibrary(service: TestService, secrets: Secrets) {
  const { host } = new URL(service.url)
  const found = await Promise.all(Object.keys(secrets).map((id) => service.services.clients.findCurrent(id)))
  const clients = found.filter((client) => client !== undefined)
  // It warns about what is kept in memory.
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const provider = new Provider(service.url, await configure(service, clients, secrets))
  warn.mockRestore()
  provider.proxy = true
  // Each ID token has the session, as each one of the service.
  Object.assign((provider.Client as unknown as { prototype: object }).prototype, { includeSid: () => true })
  const handle = provider.callback()
  const server = createServer((incoming, outgoing) => {
    Object.assign(incoming.headers, { 'x-forwarded-host': host, 'x-forwarded-proto': 'http' })
    if (incoming.url?.startsWith('/interaction/')) void interact(provider, incoming, outgoing)
    else void handle(incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, provider }
}

/**
 * Reports why a request needs the user; or continues it with `?user=`, who has signed in, with `?consent` to everything,
 * or with `?deny`.
 */
async function interact(provider: Provider, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const query = new URL(incoming.url ?? '', provider.issuer).searchParams
  const { prompt, params, session, grantId } = await provider.interactionDetails(incoming, outgoing)
  const finish = (result: InteractionResults) =>
    provider.interactionFinished(incoming, outgoing, result, { mergeWithLastSubmission: true })
  const accountId = query.get('user')
  if (accountId) return finish({ login: { accountId, amr: ['pwd'] }, select_account: {} })
  if (query.has('deny')) return finish({ error: 'access_denied' })
  const headers = { 'Content-Type': 'text/html', 'Cache-Control': 'no-store' }
  if (!query.has('consent')) return void outgoing.writeHead(200, headers).end(`needs <code>${prompt.name}</code>`)
  const known = grantId ? await provider.Grant.find(grantId) : undefined
  const owner = { accountId: session?.accountId ?? '', clientId: String(params['client_id']) }
  const grant = known ?? new provider.Grant(owner)
  const missing = prompt.details as { missingOIDCScope?: string[]; missingResourceScopes?: Record<string, string[]> }
  if (missing.missingOIDCScope) grant.addOIDCScope(missing.missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missing.missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '))
  await finish({ consent: { grantId: await grant.save() } })
}

async function configure(
  { services: { sql, vault, apis }, url }: TestService,
  clients: Client[],
  secrets: Secrets,
): Promise<Configuration> {
  const byId = new Map(clients.map((client) => [client.clientId, client]))
  const isClientCredentials = ({ oidc }: KoaContextWithOIDC) => oidc.params?.['grant_type'] === 'client_credentials'
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  policy.get('consent')?.checks.add(
    new Check('always', 'the client asks each time', 'consent_required', ({ oidc }) => {
      const isAsked = byId.get(oidc.client?.clientId ?? '')?.consent === 'always'
      return isAsked && !oidc.result?.consent ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    }),
  )

  return {
    // The clients are in this network, which the library does not allow, and a busy machine takes longer than its 2.5 s.
    fetch: (url, { method, headers, body } = {}) => fetch(url, { method, headers, body } as RequestInit),
    clients: clients.map((client) => toMetadata(client, secrets[client.clientId])),
    jwks: { keys: await loadKeys(sql, vault, 'passport') },
    // OpenID Connect Core, section 3.1.2.1, requires POST, which pages of other sites send.
    enableHttpPostMethods: true,
    cookies: { keys: ['a key of the library'], long: { sameSite: 'none' } },
    routes: {
      authorization: '/connect/authorize',
      token: '/connect/token',
      userinfo: '/connect/userinfo',
      revocation: '/connect/revocation',
      introspection: '/connect/introspect',
      end_session: '/connect/endsession',
      jwks: '/connect/jwks',
      pushed_authorization_request: '/connect/par',
      device_authorization: '/connect/deviceauthorization',
      code_verification: '/app/device',
    },
    responseTypes: ['code'],
    scopes: ['openid', 'profile', 'email', 'connections', 'entitlements', 'offline_access', 'api_vertex_core'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      connections: ['connections'],
      entitlements: ['ent', 'ent_truncated'],
    },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256', 'RS256'] },
    // OpenID Connect Core, section 3.1.2.1, requires `redirect_uri` in every request.
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client, { kind, scopes }) =>
      client.grantTypeAllowed('refresh_token') && (kind !== 'DeviceCode' || scopes.has('offline_access')),
    // RFC 9700, section 2.1.1.
    pkce: { required: (_ctx, { clientId }) => byId.get(clientId)?.pkce !== 'optional' },
    ttl: {
      AccessToken: (_ctx, { resourceServer }) => resourceServer?.accessTokenTTL ?? hourSeconds,
      AuthorizationCode: 60,
      ClientCredentials: (_ctx, { resourceServer }) => resourceServer?.accessTokenTTL ?? hourSeconds,
      DeviceCode: 600,
      Grant: 14 * daySeconds,
      IdToken: hourSeconds,
      Interaction: 600,
      RefreshToken: 14 * daySeconds,
      Session: 7 * daySeconds,
    },
    clientBasedCORS: (_ctx, origin, { redirectUris = [] }) =>
      origin === url || redirectUris.some((uri) => URL.parse(uri)?.origin === origin),
    interactions: { policy, url: (_ctx, { uid }) => `/interaction/${uid}` },
    renderError: (ctx, { error }) => {
      ctx.type = 'html'
      ctx.body = `<code>${error}</code>`
    },
    findAccount: async (_ctx, accountId) => {
      const user = await users.find(sql, accountId)
      if (!user || user.disabledAt !== null) return undefined
      const claims = {
        sub: accountId,
        name: user.displayName ?? undefined,
        preferred_username: user.username ?? undefined,
        ...(user.email !== null && { email: user.email, email_verified: user.emailVerified }),
      }
      return { accountId, claims: () => claims }
    },
    loadExistingGrant,
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: mayIntrospect },
      // RFC 7009, section 2.1: a token is revoked by the client that it was issued to.
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: true, logoutSource: (ctx, form) => void Object.assign(ctx, { body: form }) },
      backchannelLogout: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' },
      resourceIndicators: { enabled: true, useGrantedResource: () => true, defaultResource, getResourceServerInfo },
    },
  }

  /** Grants everything to the operator's own clients; users of the others decide. */
  async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
    const { client, session, account, result, provider, resourceServers = {} } = oidc
    const grantId = result?.consent?.grantId ?? session?.grantIdFor(client?.clientId ?? '')
    const known = grantId ? await provider.Grant.find(grantId) : undefined
    if (!client || !account || byId.get(client.clientId)?.consent !== 'skip') return known
    const grant = known ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
    grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '))
    for (const [resource, { scopes }] of Object.entries(resourceServers))
      grant.addResourceScope(resource, [...oidc.requestParamScopes].filter((scope) => scopes.has(scope)).join(' '))
    await grant.save()
    return grant
  }

  /** Returns the APIs of the requested scopes; of those that were granted, the first one. */
  async function defaultResource(ctx: KoaContextWithOIDC, _client: unknown, granted?: readonly string[]) {
    if (granted) return granted[0] ?? []
    const all = await apis.list()
    const found = findApisWithScopes(all, ctx.oidc.requestParamScopes)
    const own = isClientCredentials(ctx) && found.length === 0 ? all.filter(({ builtIn }) => builtIn) : []
    const resources = [...own, ...found].map(({ audience }) => audience)
    return resources.length === 1 && resources[0] ? resources[0] : resources
  }

  async function getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string, { clientId }: { clientId: string }) {
    const api = (await apis.list()).find(({ audience }) => audience === resource)
    if (!api || !admits(api, clientId)) throw new errors.InvalidTarget()
    const requested = [...ctx.oidc.requestParamScopes]
    const names = scopeNamesOf(api)
    const openIdScopes = api.builtIn ? ['openid', 'profile', 'email', 'connections', 'entitlements'] : []
    if (isClientCredentials(ctx)) {
      const client = byId.get(clientId)
      const owned = api.builtIn ? client?.scopes : client?.apis.find(({ name }) => name === api.name)?.scopes
      const refused = requested.length === 0 ? '' : requested.find((scope) => !owned?.includes(scope))
      if (refused !== undefined) throw new errors.InvalidScope('the scope is not one of the client', refused)
    } else if (ctx.oidc.route !== 'token' && !requested.some((scope) => names.includes(scope))) {
      throw new errors.InvalidScope('a scope of the resource is required', '')
    }
    const scopes = isClientCredentials(ctx) ? requested : [...openIdScopes, ...names]
    return { scope: scopes.join(' '), audience: resource, accessTokenTTL: api.tokenLifetimeSec }
  }

  /** A client reads its own tokens; a confidential one also those of an API that it serves. */
  async function mayIntrospect(
    _ctx: KoaContextWithOIDC,
    client: { clientId: string; clientAuthMethod?: string | undefined },
    token: { clientId?: string | undefined; accountId?: string; aud?: string | string[] | undefined },
  ) {
    const user = token.accountId === undefined ? undefined : await users.find(sql, token.accountId)
    if (token.accountId !== undefined && user?.disabledAt !== null) return false
    const api = (await apis.list()).find(({ audience }) => audience === token.aud)
    const reader = { clientId: client.clientId, isConfidential: client.clientAuthMethod !== 'none' }
    return token.clientId === client.clientId || (api !== undefined && canIntrospect(api, reader))
  }
}

/** Returns the registration of a client. */
function toMetadata(client: Client, secret: string | undefined): ClientMetadata {
  const { redirectUris, isConfidential } = client
  const isLocal = (uri: string) => !/^https?:/.test(uri) || /^http:\/\/127\.0\.0\.1/.test(uri)
  const isNative = !isConfidential && redirectUris.length > 0 && redirectUris.every(isLocal)
  return {
    client_id: client.clientId,
    ...(isConfidential && { client_secret: secret }),
    token_endpoint_auth_method: isConfidential ? 'client_secret_basic' : 'none',
    redirect_uris: redirectUris,
    ...(client.backchannelLogoutUri && { backchannel_logout_uri: client.backchannelLogoutUri }),
    backchannel_logout_session_required: true,
    grant_types: client.grantTypes,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    application_type: isNative ? 'native' : 'web',
    id_token_signed_response_alg: client.idTokenSigningAlg,
  }
}
