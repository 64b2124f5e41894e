import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientMetadata, Configuration, ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { readAccept } from '../http/accept.ts'
import type { Caller } from '../http/caller.ts'
import { etagOf, matchesIfNoneMatch } from '../http/conditional.ts'
import { createCookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import { type Page, renderDocument } from '../http/page.ts'
import { redactPath, reportProblem, reportRejection, toLogFields } from '../http/report.ts'
import type { KeySet } from '../oauth/key-set.ts'
import type { Vault } from '../vault.ts'
import { createAdapter } from './adapter.ts'
import { renderErrorPage } from './error-page.ts'
import { renderExpiredPage } from './expired-page.ts'
import { renderFormPostPage } from './form-post.ts'
import { addTokenClaims, completeIdTokens } from './id-token.ts'
import { createIssuerCookies } from './issuer-cookies.ts'
import { createKeyCache, type KeyCache } from './key-cache.ts'
import { extendLibrary } from './library.ts'
import { isAllowedOrigin } from './origins.ts'
import { createOutageTracker, type Outage } from './outage.ts'
import { commitTokens } from './rotation.ts'
import type { IssuerName } from './store.ts'
import { getRetryHeaders, toProviderError, unavailableError, withProviderErrors } from './unavailable.ts'

/** An OpenID Provider of the protocol library: the built-in directory under /idp. */
export interface Issuer {
  /** Returns the protocol library, with the current keys. */
  provider: () => Promise<Provider>
  /** Returns the keys to sign and to verify with. */
  keys: KeyCache['current']
  /** Handles a protocol request. */
  handleRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>
}

export interface IssuerOptions {
  name: IssuerName
  /** The issuer identifier; its path is where the issuer is mounted. */
  url: string
  sql: Sql
  vault: Vault
  http: HttpContext
  configuration: Configuration
  /** Finds clients in the database, besides those of the configuration. */
  findClient?: (clientId: string) => Promise<ClientMetadata | undefined>
  /** Called with each new instance of the library, to add listeners and middleware. */
  extend?: (provider: Provider) => void
}

/**
 * Creates an issuer with encrypted storage, key rotation, our pages, and only the code flow with PKCE.
 */
export function createIssuer(options: IssuerOptions): Issuer {
  const { name, url, sql, vault, http } = options
  const mountPath = new URL(url).pathname.replace(/\/$/, '')
  const outage = createOutageTracker(sql, name)
  const keyCache = createKeyCache(sql, vault, name)
  let current: { keys: KeySet; provider: Provider; handle: ReturnType<Provider['callback']> } | undefined

  /** Returns the library for a key set; a new one when the keys change. */
  function getLibrary(keys: KeySet) {
    if (current?.keys === keys) return current
    const provider = createProvider(options, keys, outage)
    current = { keys, provider, handle: provider.callback() }
    return current
  }

  return {
    provider: async () => getLibrary(await keyCache.current()).provider,
    keys: keyCache.current,
    handleRequest: async (incoming, outgoing) => {
      // Without the database, everything fails on its own, with the errors of the protocol.
      const { handle } = getLibrary(await keyCache.published())
      const request = incoming as IncomingMessage & { originalUrl?: string }
      request.originalUrl = incoming.url ?? '/'
      const path = request.originalUrl.slice(mountPath.length) || '/'
      // A pending request is identified by its path alone; the library fails on additional parameters.
      incoming.url = path.replace(/^((?:\/connect)?\/authorize\/[^?]+)\?.*/, '$1')
      // The library builds its URLs from the Host header, which callers choose.
      const { host, protocol } = new URL(http.publicUrl)
      incoming.headers['x-forwarded-host'] = host
      incoming.headers['x-forwarded-proto'] = protocol.slice(0, -1)
      incoming.headers.accept = readAccept(incoming.headers)
      await handle(incoming, outgoing)
    },
  }
}

function createProvider(
  { name, url, sql, vault, http, configuration, findClient, extend }: IssuerOptions,
  { jwks }: KeySet,
  outage: Outage,
): Provider {
  const { log } = http
  const { findAccount, loadExistingGrant } = configuration

  const Library = extendLibrary({
    handleTokenRequest: async (ctx, handle) => {
      try {
        await outage.end()
        await commitTokens({ sql, issuer: name }, ctx, handle)
      } catch (error) {
        throw toProviderError(error, log)
      }
    },
    postForm: (ctx, redirectUri, parameters) => sendPage(ctx, http, renderFormPostPage(redirectUri, parameters)),
  })
  const provider = new Library(url, {
    ...configuration,
    ...(findAccount && { findAccount: withProviderErrors(async (...args) => findAccount(...args), log) }),
    ...(loadExistingGrant && { loadExistingGrant: withProviderErrors(async (ctx) => loadExistingGrant(ctx), log) }),
    adapter: createAdapter({ issuer: name, sql, vault, outage, findClient, log }),
    jwks: { keys: jwks },
    cookies: createIssuerCookies({ name, url, vault, isSecure: http.isSecure }),
    pkce: configuration.pkce ?? { required: () => true },
    responseTypes: ['code'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    // Secrets are stored as hashes, which cannot sign, and clients have no keys.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256', 'RS256'] },
    rotateRefreshToken: true,
    clientBasedCORS: (_ctx, origin, client) => isAllowedOrigin(http, origin, client.redirectUris ?? []),
    renderError: async (ctx, errorOut) => {
      // A request can fail at its end, after the library has set the redirect of its response.
      ctx.remove('Location')
      if (ctx.accepts('html', 'json') === 'json') ctx.body = errorOut
      else sendPage(ctx, http, renderError(ctx, errorOut, http), await findCaller(ctx, http))
    },
  })
  completeIdTokens(provider)
  provider.proxy = true
  provider.use((ctx, next) => reportErrors(ctx as KoaContextWithOIDC, http, next))
  provider.on('server_error', (ctx, error) => {
    http.log.error({ err: error, path: ctx.path, ...toLogFields(http.readVisit(ctx.req)) }, 'provider-error')
  })
  provider.use(async (ctx, next) => {
    await next()
    const { oidc } = ctx as KoaContextWithOIDC
    if (oidc?.route === 'discovery' && ctx.status === 200) addTokenClaims(ctx as KoaContextWithOIDC)
    if (oidc?.route === 'discovery' || oidc?.route === 'jwks') addEtag(ctx as KoaContextWithOIDC)
  })
  extend?.(provider)
  return provider
}

/** Handles errors that no error handler of the library sees, and adds Retry-After. */
async function reportErrors(ctx: KoaContextWithOIDC, http: HttpContext, next: () => Promise<void>) {
  try {
    await next()
  } catch (error) {
    const { status, message, headers } = reportProblem(error, ctx.path, http.readVisit(ctx.req), http)
    ctx.status = status
    ctx.set(headers)
    ctx.body = { error: status === 503 ? unavailableError : 'server_error', error_description: message }
  }
  if (ctx.status === 503) ctx.set(getRetryHeaders(ctx))
}

/** Adds the ETag of a document, which only changes with a setting or a key. */
function addEtag(ctx: KoaContextWithOIDC) {
  if (ctx.status !== 200) return
  const etag = etagOf(JSON.stringify(ctx.body))
  ctx.set({ ETag: `"${etag}"`, 'Cache-Control': 'public, no-cache' })
  if (matchesIfNoneMatch(ctx.headers['if-none-match'], { etag })) ctx.status = 304
}

/** Sends one of our pages as the response of the protocol library. */
function sendPage(ctx: KoaContextWithOIDC, http: HttpContext, page: Page, caller?: Caller): void {
  const cookies = { get: (name: string) => ctx.cookies.get(name) }
  const { headers, text } = renderDocument(page, http, { cookies, caller })
  ctx.status = page.status ?? ctx.status
  ctx.set(headers)
  ctx.body = text
}

/** Returns the user with a session in this browser, for an error page. It needs the database, which may be away. */
async function findCaller(ctx: KoaContextWithOIDC, http: HttpContext): Promise<Caller | undefined> {
  const token = createCookies(ctx.req.headers.cookie, http.isSecure).get(http.sessionCookie)
  if (token === undefined || ctx.status >= 500) return undefined
  return http.identify.bySession(token).catch(() => undefined)
}

function renderError(
  ctx: KoaContextWithOIDC,
  { error, error_description: description = '' }: ErrorOut,
  http: HttpContext,
) {
  const visit = http.readVisit(ctx.req)
  const path = redactPath(ctx.originalUrl)
  return isExpiredRequest(ctx, description)
    ? renderExpiredPage(reportRejection(http.log, visit, { code: error, message: description, path }))
    : renderErrorPage({ code: error, description, status: ctx.status }, { visit, path, log: http.log })
}

/** Reports whether a request cannot continue because it has expired, or was started in another browser. */
const isExpiredRequest = ({ oidc }: KoaContextWithOIDC, description = '') =>
  oidc?.route === 'resume' && /^(?:authorization request has expired|interaction session)/.test(description)
