import type { IncomingHttpHeaders } from 'node:http'
import type {
  Endpoint,
  FileDownload,
  ParsedRequest,
  RateLimit,
  ResponseData,
  StoredFile,
} from '@passport/contract/endpoint'
import { type RoleChangeQuery, RoleEffect } from '@passport/contract/role-effect'
import type { Hono } from 'hono'
import * as z from 'zod/mini'
import { rejectAbandoned, whileClientSends } from './abandoned.ts'
import { chooseMediaType } from './accept.ts'
import type { Caller, ClientCaller, SetupCaller } from './caller.ts'
import {
  etagOf,
  formatValidators,
  NotModified,
  type Preconditions,
  readPreconditions,
  type Validators,
} from './conditional.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { openCorsHeaders } from './cors.ts'
import { rejectForgery } from './csrf.ts'
import { DryRunRollback } from './dry-run-rollback.ts'
import type { Context, Environment } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import type { WithIdempotencyKey } from './idempotency.ts'
import { authenticate, isClient, isSetup } from './identify.ts'
import { isNavigation, type NavigationTargets, redirectNavigation, toRedirect } from './navigation.ts'
import { createCallsInProgress } from './one-at-a-time.ts'
import { createParser, type Parts } from './parse.ts'
import { apiVersionUnsupported } from './problems.ts'
import { createLimiter, limitByAddress } from './rate-limit.ts'
import { createRecencyChecks, RecentAuthenticationRequired } from './recent.ts'
import { type ResponseParts, respond } from './respond.ts'
import { toRoutePattern } from './route-pattern.ts'
import { toStoredFileResponse } from './stored-file.ts'
import { subscriberOf, type Visit } from './visit.ts'

/** The arguments of a handler besides the parsed parts of the request. */
interface HandlerContext {
  headers: IncomingHttpHeaders
  visit: Visit
  cookies: Cookies
  preconditions: Preconditions
}
type CallerOf<E extends Endpoint> = E extends { access: 'anyone' }
  ? undefined
  : E extends { access: 'setup' }
    ? SetupCaller
    : E extends { scope: string }
      ? Caller | ClientCaller
      : Caller
type MaybePromise<T> = T | Promise<T>

/** A result with the validators of its response, for later conditional requests. */
export class WithETag<T> {
  readonly value: T
  readonly validators: Validators
  constructor(value: T, validators: Validators) {
    this.value = value
    this.validators = validators
  }
}

/** A text in one language, in each of the media types that the endpoint negotiates. */
export class Representations {
  readonly language: string
  readonly #texts: Readonly<Record<string, string>>
  readonly #encoded = new Map<string, { body: Uint8Array<ArrayBuffer>; etag: string }>()
  constructor(language: string, texts: Readonly<Record<string, string>>) {
    this.language = language
    this.#texts = texts
  }
  /** Returns the text in a media type, which is encoded once. */
  encode(type: string) {
    const text = this.#texts[type] ?? ''
    const encoded = this.#encoded.get(type) ?? {
      body: new TextEncoder().encode(text),
      etag: etagOf(`${type} ${this.language} ${text}`),
    }
    this.#encoded.set(type, encoded)
    return encoded
  }
}

/** A created resource with its path. The response is 201. */
export class Created<T> extends WithETag<T> {
  readonly location: string
  constructor(value: T, location: string, validators: Validators) {
    super(value, validators)
    this.location = location
  }
}

/** Work that is not complete yet. The response is 202 (RFC 9110, section 15.3.3). */
export class Pending<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}

/**
 * Serves one endpoint of the contract. With `targets`, a browser that navigates to the endpoint is redirected (303).
 * `admit` throws before the body is read unless the headers have the key of the endpoint.
 */
export type Serve = <E extends Endpoint>(
  endpoint: E,
  handle: (
    request: ParsedRequest<E> & HandlerContext & { caller: CallerOf<E> },
  ) => MaybePromise<ResponseData<E> | WithETag<ResponseData<E>> | Pending<ResponseData<E>> | Representations>,
  targets?: NavigationTargets<ResponseData<E>>,
  admit?: (headers: IncomingHttpHeaders) => void,
) => void

/**
 * Serves endpoints on `app`: authorizes the caller, parses every part of the request, runs the handler, and validates
 * the response.
 *
 * Never opens the adapter's full Request (`c.req.raw`, `hono/body-limit`): that halves the speed of the server and
 * triples its memory. So bodies are limited by Content-Length and read by `arrayBuffer`.
 */
export function serveOn(app: Hono<Environment>, http: HttpContext, withIdempotencyKey: WithIdempotencyKey): Serve {
  const inProgress = createCallsInProgress()
  return (endpoint, handle, targets, admit) => {
    const parse = createParser(endpoint)
    const consume = createCallCounter(endpoint, http)
    const recencyChecks = createRecencyChecks(endpoint, http)
    const runAlone = inProgress.limit(endpoint.oneAtATime)

    app.on(endpoint.method, toRoutePattern(endpoint.path), async (c) => {
      c.set('route', endpoint.path)
      return targets && isNavigation(c) ? redirectNavigation(c, http, targets, respondToCall) : respondToCall(c)
    })

    async function respondToCall(c: Context, findTarget?: (value: never) => string): Promise<Response> {
      const { incoming } = c.env
      const visit = c.get('visit')
      const cookies = createCookies(incoming.headers.cookie, http.isSecure)
      // Still percent-encoded: the parser decodes each parameter, once.
      const [path = '', query = ''] = (incoming.url ?? '').split(/\?(.*)/s)
      const sharedHeaders = {
        ...createCachingHeaders(endpoint, query),
        ...createCrossOriginHeaders(c, endpoint, http),
        ...endpoint.headers,
      }

      rejectOtherVersions(c)
      admit?.(incoming.headers)
      const caller = await authenticate(endpoint, http, cookies, incoming, visit)
      const user = isClient(caller) || isSetup(caller) ? undefined : caller
      const hasCookie = user?.session !== undefined || isSetup(caller)
      if (hasCookie && endpoint.method !== 'GET') rejectForgery(incoming.headers, http.publicUrl)
      if (user && (user.personalToken || !endpoint.polled)) await http.identify.recordActivity(user, visit)
      recencyChecks.atOnce?.(user, undefined)
      const callerId = isClient(caller) ? `client ${caller.clientId}` : caller?.id
      return runAlone(callerId, async () => {
        const limitHeaders = await consume?.(visit, callerId, query)
        const parts = await parse({
          path,
          query,
          headers: incoming.headers,
          readBody: () => whileClientSends(c, () => c.req.arrayBuffer()),
        })
        rejectAbandoned(c)
        recencyChecks.withBody?.(user, parts.body)
        const preconditions = readPreconditions(incoming.method ?? '', incoming.headers)
        if (endpoint.waitsForOthers) c.get('loadSlot')?.release()
        try {
          const perform = async () => {
            const { headers } = incoming
            const result = await handle({ ...parts, caller, headers, visit, cookies, preconditions } as never)
            if (findTarget) return toRedirect(findTarget(result as never))
            return toResponseParts(c, endpoint, result, preconditions)
          }
          const call = await readKeyedCall(c, callerId, parts)
          const response = call ? await withIdempotencyKey(call, perform) : await perform()
          const headers = { ...sharedHeaders, ...limitHeaders, ...response.headers }
          return respond({ ...response, headers }, http.standardHeaders, visit.traceId, cookies)
        } catch (error) {
          if (error instanceof DryRunRollback) {
            const headers = { ...sharedHeaders, ...limitHeaders, 'Content-Type': 'application/json' }
            const { previews = true } = endpoint
            const body = JSON.stringify(z.parse(previews === true ? RoleEffect : previews, error.effect))
            return respond({ status: 200, headers, body }, http.standardHeaders, visit.traceId, cookies)
          }
          if (error instanceof RecentAuthenticationRequired) throw recencyChecks.toProblem(user)
          if (!(error instanceof NotModified)) throw error
          const headers = { ...sharedHeaders, ...limitHeaders, ...formatValidators(error.validators) }
          return respond({ status: 304, headers }, http.standardHeaders, visit.traceId)
        }
      })
    }
  }
}

/**
 * Creates the counter of an endpoint's calls, which returns the rate limit headers or throws 429; undefined without a
 * limit.
 */
function createCallCounter({ rateLimit }: Endpoint, http: HttpContext) {
  if (!rateLimit) return undefined
  const { ifQueried } = rateLimit
  const count = createCounter(rateLimit, http)
  return async (visit: Visit, callerId: string | undefined, query: string): Promise<Record<string, string>> => {
    if (!ifQueried) return count(visit, callerId)
    const parameters = new URLSearchParams(query)
    return ifQueried.some((name) => parameters.has(name)) ? count(visit, callerId) : {}
  }
}

function createCounter({ sharedAs, by, ...limit }: RateLimit, http: HttpContext) {
  const shared = sharedAs === undefined ? undefined : { ...limit, name: sharedAs }
  if (by === 'address') return shared ? http.limitAddress(shared) : limitByAddress(limit, createLimiter)
  const consume = shared ? http.limitCaller(shared) : createLimiter(limit)
  return ({ ip }: Visit, callerId: string | undefined) => consume(callerId ?? subscriberOf(ip))
}

/** Returns the call with its idempotency key, if any. A preview needs none, since it changes nothing. */
async function readKeyedCall(c: Context, callerId: string | undefined, { idempotencyKey: key, query }: Parts) {
  if (key === undefined || callerId === undefined || (query as RoleChangeQuery | undefined)?.preview) return undefined
  const { method = '', url = '' } = c.env.incoming
  // The parser has read the body already, and the framework caches it.
  return { callerId, key, method, url, body: await c.req.arrayBuffer() }
}

/** Throws 400 unless the version in the query or a header is `1` or `1.0`, or missing. */
function rejectOtherVersions(c: Context) {
  const version = c.req.query('api-version') ?? c.req.header('x-api-version')
  if (version === undefined || version === '1' || version === '1.0') return
  throw apiVersionUnsupported(version)
}

/** Creates the response of a result. Throws if it violates the contract, and removes undeclared fields. */
function toResponseParts(
  c: Context,
  { returns, conditional }: Endpoint,
  result: unknown,
  preconditions: Preconditions,
): ResponseParts {
  if (returns?.storedTypes) {
    preconditions.check({ etag: (result as StoredFile).etag })
    return toStoredFileResponse(result as StoredFile, c.env.incoming)
  }
  if (returns?.fileTypes) return toFileResponse(result as FileDownload)
  if (result instanceof Representations) return toNegotiatedResponse(c, result, returns?.textTypes ?? [], preconditions)
  const validators = result instanceof WithETag ? result.validators : undefined
  const value = result instanceof WithETag || result instanceof Pending ? result.value : result
  if (!returns) return { status: 204, ...(validators && { headers: formatValidators(validators) }) }
  const checked = z.parse(returns.schema, value)
  const plain = returns.type === 'text/plain' ? checked : pickPlainText(c, returns.plainField, checked)
  const body = plain === undefined ? JSON.stringify(checked) : String(plain)
  const type = plain === undefined ? 'application/json' : 'text/plain; charset=utf-8'
  const headers = { 'Content-Type': type, ...linkToNext(checked) }
  if (result instanceof Created) {
    const locationHeaders = { Location: result.location, ...formatValidators(result.validators) }
    return { status: 201, headers: { ...headers, ...locationHeaders }, body }
  }
  if (result instanceof Pending) return { status: 202, headers, body }
  if (!conditional) return { status: 200, headers, body }
  const current = validators ?? { etag: etagOf(body) }
  if (!validators) preconditions.check(current)
  return { status: 200, headers: { ...headers, ...formatValidators(current) }, body }
}

/** Creates the response with the preferred media type; defaults to the first one. */
function toNegotiatedResponse(
  c: Context,
  representations: Representations,
  types: readonly string[],
  preconditions: Preconditions,
): ResponseParts {
  const [first = 'text/plain', ...others] = types
  const type = chooseMediaType(c.env.incoming.headers, [first, ...others])
  const { body, etag } = representations.encode(type)
  preconditions.check({ etag })
  const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Content-Language': representations.language }
  return { status: 200, headers: { ...headers, ...formatValidators({ etag }) }, body }
}

/** Streams a file while it is generated. An error aborts the connection, so that clients detect an incomplete file. */
function toFileResponse({ type, name, parts }: FileDownload): ResponseParts {
  const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Content-Disposition': `attachment; filename="${name}"` }
  return {
    status: 200,
    headers,
    body: ReadableStream.from(encodeParts(parts)) as ReadableStream<Uint8Array<ArrayBuffer>>,
  }
}

async function* encodeParts(parts: AsyncIterable<string>) {
  const encoder = new TextEncoder()
  for await (const part of parts) yield encoder.encode(part)
}

/** Returns a Link header to the next page (RFC 8288) for a page with `next`, as of the contract's `cursorPage`. */
function linkToNext(value: unknown): Record<string, string> {
  const isPage = typeof value === 'object' && value !== null && 'items' in value && 'next' in value
  return isPage && typeof value.next === 'string' ? { Link: `<${value.next}>; rel="next"` } : {}
}

/** Returns the field to send as plain text, if the endpoint has one and the client prefers plain text. */
function pickPlainText(c: Context, field: string | undefined, value: unknown): unknown {
  if (field === undefined) return undefined
  const preferred = chooseMediaType(c.env.incoming.headers, ['application/json', 'text/plain'])
  return preferred === 'text/plain' ? ((value as Record<string, unknown>)[field] ?? '') : undefined
}

/** Creates the Cache-Control header of a successful response and of its 304. */
function createCachingHeaders(
  { cacheControl, conditional, query: querySchema }: Endpoint,
  query: string,
): Record<string, string> {
  if (cacheControl && querySchema && query !== '') return { 'Cache-Control': 'no-store' }
  return { 'Cache-Control': cacheControl ?? (conditional ? 'private, no-cache' : 'no-store') }
}

function createCrossOriginHeaders(
  c: Context,
  { openToAllOrigins }: Endpoint,
  http: HttpContext,
): Record<string, string> {
  return openToAllOrigins ? openCorsHeaders : http.corsHeaders(c.req.header('origin'))
}
