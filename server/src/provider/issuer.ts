import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type ClientMetadata,
  type Configuration,
  type ErrorOut,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { etagOf, isKnown } from '../http/conditional.ts'
import type { Door } from '../http/door.ts'
import { documentOf, html, type Page, supportLine } from '../http/page.ts'
import { reportRefusal } from '../http/report.ts'
import { supportCodeOf } from '../http/visit.ts'
import type { Vault } from '../vault.ts'
import { adapterFor } from './adapter.ts'
import { loadKeys, type SigningJwk } from './keys.ts'
import type { IssuerName } from './store.ts'

/** One OpenID Provider of this server. There are two: the issuer of tokens, and the built-in directory under /idp. */
export interface Issuer {
  /** The protocol library with the keys of now. */
  provider: () => Promise<Provider>
  keys: () => Promise<SigningJwk[]>
  /** Answers a request of the protocol. */
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>
}

export interface IssuerOptions {
  name: IssuerName
  /** The issuer identifier; its path is where the issuer is mounted. */
  url: string
  sql: Sql
  vault: Vault
  door: Door
  configuration: Configuration
  /** The clients that are rows, besides those of the configuration. */
  findClient?: (clientId: string) => Promise<ClientMetadata | undefined>
  /** What else is to be done with each new instance of the library, such as to listen to it. */
  extend?: (provider: Provider) => void
}

/** How long another process may sign with a key that this one has not read yet; keys are published a day ahead. */
const keysMaxAgeMs = 60_000

/** An issuer with what both have in common: sealed storage, rotated keys, our pages, code with PKCE and nothing else. */
export function createIssuer(options: IssuerOptions): Issuer {
  const { name, url, sql, vault, door } = options
  const mountPath = new URL(url).pathname.replace(/\/$/, '')
  let held: { provider: Provider; keys: SigningJwk[]; readAt: number } | undefined

  async function current() {
    if (held && Date.now() - held.readAt < keysMaxAgeMs) return held
    const keys = await loadKeys(sql, vault, name)
    const isSame = held && JSON.stringify(held.keys) === JSON.stringify(keys)
    held = { keys, readAt: Date.now(), provider: held && isSame ? held.provider : createProvider(options, keys) }
    return held
  }

  return {
    provider: async () => (await current()).provider,
    keys: async () => (await current()).keys,
    answer: async (incoming, outgoing) => {
      const { provider } = await current()
      const request = incoming as IncomingMessage & { originalUrl?: string }
      request.originalUrl = incoming.url ?? '/'
      const asked = request.originalUrl.slice(mountPath.length) || '/'
      // A request that waits is known by its path alone; over parameters that come along the library stumbles.
      incoming.url = asked.replace(/^((?:\/connect)?\/authorize\/[^?]+)\?.*/, '$1')
      // The library builds its addresses from the Host header: whoever asks must not choose them.
      const { host, protocol } = new URL(door.publicUrl)
      incoming.headers['x-forwarded-host'] = host
      incoming.headers['x-forwarded-proto'] = protocol.slice(0, -1)
      await provider.callback()(incoming, outgoing)
    },
  }
}

function createProvider(
  { name, url, sql, vault, door, configuration, findClient, extend }: IssuerOptions,
  keys: SigningJwk[],
): Provider {
  const provider = new Provider(url, {
    ...configuration,
    adapter: adapterFor(name, sql, vault, findClient),
    jwks: { keys },
    cookies: {
      names: {
        session: `passport-${name}-session`,
        interaction: `passport-${name}-interaction`,
        resume: `passport-${name}-resume`,
      },
      keys: [vault.derive(`cookies:${name}`).toString('base64url')],
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: new URL(url).pathname, secure: door.isSecure },
      short: { signed: true, httpOnly: true, sameSite: 'lax', secure: door.isSecure },
    },
    pkce: { required: () => true },
    responseTypes: ['code'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    // A secret is stored as its hash, which makes no signatures; and no client has a key here.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256', 'RS256'] },
    rotateRefreshToken: true,
    // The configured origins, those to which the client's own answers go, and the pages of this server.
    clientBasedCORS: (_ctx, origin, client) =>
      origin === door.publicUrl ||
      'Access-Control-Allow-Origin' in door.corsHeaders(origin) ||
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    renderError: (ctx, out) => showPage(ctx, door, failedPage(ctx, out, door)),
  })
  provider.proxy = true
  provider.on('server_error', (ctx, error) => {
    door.log.error({ err: error, path: ctx.path, ...traceOf(ctx) }, 'provider-error')
  })
  provider.use(async (ctx, next) => {
    await next()
    const { oidc } = ctx as KoaContextWithOIDC
    if (oidc?.route === 'discovery' || oidc?.route === 'jwks') tag(ctx as KoaContextWithOIDC)
  })
  extend?.(provider)
  return provider
}

/** What changes with a setting or a key: whoever has it need not be sent it again. */
function tag(ctx: KoaContextWithOIDC) {
  if (ctx.status !== 200) return
  const etag = etagOf(JSON.stringify(ctx.body))
  ctx.set({ ETag: `"${etag}"`, 'Cache-Control': 'public, no-cache' })
  if (isKnown(ctx.headers['if-none-match'], { etag })) ctx.status = 304
}

/** Sends one of our pages as the answer of the protocol library. */
function showPage(ctx: KoaContextWithOIDC, door: Door, page: Page): void {
  const { headers, text } = documentOf(page, door)
  ctx.status = page.status ?? ctx.status
  ctx.set(headers)
  ctx.body = text
}

function failedPage(ctx: KoaContextWithOIDC, { error, error_description }: ErrorOut, { log }: Door): Page {
  const { traceId, supportCode } = traceOf(ctx)
  // What is our fault is in the log already.
  if (ctx.status < 500) reportRefusal(log, { traceId }, { code: error, told: error_description, path: ctx.path })
  const body = html`<h1>The application asked for something that cannot be</h1>
    <p>It sent you here with a request that is not right, or that is no longer good. Go back to it and start again.</p>
    <dl><dt>Error</dt><dd><code>${error}</code></dd>
    ${error_description ? html`<dt>Meaning</dt><dd>${error_description}</dd>` : ''}</dl>
    ${supportLine(supportCode)}`
  return { title: 'Request not understood', body }
}

/** The trace id that the answer carries already. */
function traceOf(ctx: KoaContextWithOIDC) {
  const traceId = String(ctx.res.getHeader('x-trace-id') ?? '')
  return { traceId, supportCode: supportCodeOf(traceId) }
}
