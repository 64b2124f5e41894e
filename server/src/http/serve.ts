import type { Endpoint, RateLimit, Received, Returned, SentFile } from '@passport/contract/endpoint'
import { type RoleChangeQuery, RoleEffect } from '@passport/contract/role-effect'
import type { Hono } from 'hono'
import { accepts } from 'hono/accepts'
import * as z from 'zod/mini'
import type { Caller, ClientCaller } from './caller.ts'
import {
  etagOf,
  NotModified,
  type Preconditions,
  preconditionsOf,
  type Validators,
  validatorHeaders,
} from './conditional.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { openCorsHeaders } from './cors.ts'
import { refuseForgery } from './csrf.ts'
import type { Door } from './door.ts'
import type { Context, Environment } from './environment.ts'
import type { Once } from './idempotency.ts'
import { admitted, isClient } from './identify.ts'
import { type Parts, parserOf } from './parse.ts'
import { Previewed } from './previewed.ts'
import { Problem } from './problem.ts'
import { type Consume, limiterOf } from './rate-limit.ts'
import { type Answer, respond } from './respond.ts'
import { routePattern } from './route-pattern.ts'
import type { Visit } from './visit.ts'

/** What a handler gets beside the parsed parts of the request. */
interface Circumstances {
  visit: Visit
  cookies: Cookies
  preconditions: Preconditions
}
type CallerOf<E extends Endpoint> = E extends { access: 'anyone' }
  ? undefined
  : E extends { scope: string }
    ? Caller | ClientCaller
    : Caller
type MaybePromise<T> = T | Promise<T>

/** An answer with what it is known by, for the next conditional request. */
export class Tagged<T> {
  readonly value: T
  readonly validators: Validators
  constructor(value: T, validators: Validators) {
    this.value = value
    this.validators = validators
  }
}

/** What was made, and the path where it is; answered as 201. */
export class Created<T> extends Tagged<T> {
  readonly location: string
  constructor(value: T, location: string, validators: Validators) {
    super(value, validators)
    this.location = location
  }
}

/** Serves one endpoint of the contract. */
export type Serve = <E extends Endpoint>(
  endpoint: E,
  handle: (
    request: Received<E> & Circumstances & { caller: CallerOf<E> },
  ) => MaybePromise<Returned<E> | Tagged<Returned<E>>>,
) => void

/**
 * Serves endpoints on `app`: admits the caller, parses every part of the request, runs the handler, checks the answer.
 *
 * Nothing here opens the adapter's full Request (`c.req.raw`, `hono/body-limit`): that halves the speed of the server
 * and triples its memory. Hence limits by Content-Length, and bodies read by `arrayBuffer`.
 */
export function serveOn(app: Hono<Environment>, door: Door, once: Once): Serve {
  return (endpoint, handle) => {
    const parse = parserOf(endpoint)
    const consume = consumerOf(endpoint, door)

    app.on(endpoint.method, routePattern(endpoint.path), async (c) => {
      const { incoming } = c.env
      const visit = c.get('visit')
      const cookies = createCookies(incoming.headers.cookie, door.isSecure)
      // As the client wrote it: the parser decodes each parameter, once.
      const [path = '', query = ''] = (incoming.url ?? '').split(/\?(.*)/s)
      const shared = { ...cachingOf(endpoint, query), ...crossOriginOf(c, endpoint, door), ...endpoint.headers }

      refuseOtherVersions(c)
      const caller = await admitted(endpoint, door, cookies, incoming)
      const person = isClient(caller) ? undefined : caller
      if (person?.session && endpoint.method !== 'GET') refuseForgery(incoming.headers, door.publicUrl)
      if (person && !endpoint.polled) await door.identify.seen(person)
      const callerId = isClient(caller) ? `client ${caller.clientId}` : caller?.id
      const limit = await consume?.(visit, callerId, query)
      const parts = await parse({ path, query, headers: incoming.headers, readBody: () => c.req.arrayBuffer() })
      const preconditions = preconditionsOf(incoming.method ?? '', incoming.headers)
      try {
        const perform = async () => {
          const result = await handle({ ...parts, caller, visit, cookies, preconditions } as never)
          return answerOf(c, endpoint, result, preconditions)
        }
        const call = await keyedCallOf(c, callerId, parts)
        const answer = call ? await once(call, perform) : await perform()
        const headers = { ...shared, ...limit, ...answer.headers }
        return respond({ ...answer, headers }, door.standing, visit.traceId, cookies)
      } catch (error) {
        if (error instanceof Previewed) {
          const headers = { ...shared, ...limit, 'Content-Type': 'application/json' }
          const body = JSON.stringify(z.parse(RoleEffect, error.effect))
          return respond({ status: 200, headers, body }, door.standing, visit.traceId, cookies)
        }
        if (!(error instanceof NotModified)) throw error
        const headers = { ...shared, ...limit, ...validatorHeaders(error.validators) }
        return respond({ status: 304, headers }, door.standing, visit.traceId)
      }
    })
  }
}

/** Counts a call as its endpoint says; returns the headers that tell what is left, or throws 429. */
function consumerOf({ rateLimit }: Endpoint, door: Door) {
  if (!rateLimit) return undefined
  const { ifQueried, sharedAs, by } = rateLimit
  const count =
    sharedAs === undefined ? ofKey(limiterOf(rateLimit), by) : door.limitAddress({ ...rateLimit, name: sharedAs })
  return async (visit: Visit, callerId: string | undefined, query: string): Promise<Record<string, string>> => {
    if (!ifQueried) return count(visit, callerId)
    const asked = new URLSearchParams(query)
    return ifQueried.some((name) => asked.has(name)) ? count(visit, callerId) : {}
  }
}

const ofKey =
  (consume: Consume, by: RateLimit['by']) =>
  ({ ip }: Visit, callerId: string | undefined) =>
    consume(by === 'caller' ? (callerId ?? ip) : ip)

/** The call under the key that its caller gave it, if any; a preview does nothing that could be done twice. */
async function keyedCallOf(c: Context, callerId: string | undefined, { idempotencyKey: key, query }: Parts) {
  if (key === undefined || callerId === undefined || (query as RoleChangeQuery | undefined)?.preview) return undefined
  const { method = '', url = '' } = c.env.incoming
  // It was read by the parser, and the framework keeps it.
  return { callerId, key, method, url, body: await c.req.arrayBuffer() }
}

/** The version comes in the query or a header; there is one, `1`, also written `1.0`. */
function refuseOtherVersions(c: Context) {
  const asked = c.req.query('api-version') ?? c.req.header('x-api-version')
  if (asked === undefined || asked === '1' || asked === '1.0') return
  const errors = [{ field: 'api-version', code: 'unsupported', message: 'The only version is 1.' }]
  throw new Problem(400, 'api-version-unsupported', `There is no version ${asked} of this API.`, { errors })
}

/** What goes out is checked as what came in is: a room that strays from the contract fails here, and no stray field leaves. */
function answerOf(
  c: Context,
  { returns, conditional }: Endpoint,
  result: unknown,
  preconditions: Preconditions,
): Answer {
  if (returns?.fileTypes) return fileAnswer(result as SentFile)
  const { value, validators } = result instanceof Tagged ? result : { value: result, validators: undefined }
  if (!returns) return { status: 204, ...(validators && { headers: validatorHeaders(validators) }) }
  const checked = z.parse(returns.schema, value)
  const plain = returns.type === 'text/plain' ? checked : plainOf(c, returns.plainField, checked)
  const body = plain === undefined ? JSON.stringify(checked) : String(plain)
  const type = plain === undefined ? 'application/json' : 'text/plain; charset=utf-8'
  const headers = { 'Content-Type': type, ...linkToNext(checked) }
  if (result instanceof Created) {
    const place = { Location: result.location, ...validatorHeaders(result.validators) }
    return { status: 201, headers: { ...headers, ...place }, body }
  }
  if (!conditional) return { status: 200, headers, body }
  const known = validators ?? { etag: etagOf(body) }
  if (!validators) preconditions.check(known)
  return { status: 200, headers: { ...headers, ...validatorHeaders(known) }, body }
}

/** A file goes out while it is made; where that fails half-way the connection is cut, so that nobody takes it for whole. */
function fileAnswer({ type, name, parts }: SentFile): Answer {
  const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Content-Disposition': `attachment; filename="${name}"` }
  return { status: 200, headers, body: ReadableStream.from(bytesOf(parts)) as ReadableStream<Uint8Array<ArrayBuffer>> }
}

async function* bytesOf(parts: AsyncIterable<string>) {
  const encoder = new TextEncoder()
  for await (const part of parts) yield encoder.encode(part)
}

/** The page that follows, for clients that read no bodies (RFC 8288); `next` is that of the contract's `cursorPage`. */
function linkToNext(value: unknown): Record<string, string> {
  const isPage = typeof value === 'object' && value !== null && 'items' in value && 'next' in value
  return isPage && typeof value.next === 'string' ? { Link: `<${value.next}>; rel="next"` } : {}
}

function plainOf(c: Context, field: string | undefined, value: unknown): unknown {
  if (field === undefined) return undefined
  const preferred = accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/plain'],
    default: 'application/json',
  })
  return preferred === 'text/plain' ? ((value as Record<string, unknown>)[field] ?? '') : undefined
}

/** The caching that a success, and a 304 for it, is answered with. */
function cachingOf({ cacheControl, conditional, query: takes }: Endpoint, query: string): Record<string, string> {
  if (cacheControl && takes && query !== '') return { 'Cache-Control': 'no-store' }
  return { 'Cache-Control': cacheControl ?? (conditional ? 'private, no-cache' : 'no-store') }
}

function crossOriginOf(c: Context, { openToAllOrigins }: Endpoint, door: Door): Record<string, string> {
  return openToAllOrigins ? openCorsHeaders : door.corsHeaders(c.req.header('origin'))
}
