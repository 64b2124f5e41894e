import * as z from 'zod/mini'

/** An API call as plain data: the server serves it, clients call it, OpenAPI describes it. */
export interface Endpoint {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** `{name}` is one segment of the path; `{name...}`, only at the end, is the rest of it. */
  path: `/${string}`
  /** The effect of the call: an imperative of at most 60 characters without a full stop. */
  summary: string
  /** Details that the summary omits, in one or two sentences. */
  description?: string
  access: Access
  /** Accepts a bearer token with the scope `api_vertex_core` instead of the session cookie. */
  bearer?: true
  /**
   * The scope with which an application may call the endpoint on its own behalf, with a token of the client credentials
   * grant (RFC 6749, section 4.4). Endpoints for administrators accept the scopes of `adminScopes` too, see
   * `listAdmittedScopes`.
   */
  scope?: ClientScope
  /** A call for every user that an application with a scope for administration makes as an administrator. */
  adminScopes?: true
  /**
   * Requires a session with a recent authentication, otherwise 401 `reauthentication-required`. A user's token is
   * rejected with 403 `session-required`; so is a client's, except where `scope` is set or the requirement has a condition.
   */
  recent?: true | Recency
  /** Clients call the endpoint by a timer, so a call does not count as activity of the session. */
  polled?: true
  params?: Schema
  query?: Schema
  body?: RequestContent
  /** The body of a success; an endpoint without it responds 204. */
  returns?: Content
  /** Status codes of failures, besides those that the other fields imply. */
  fails?: readonly (404 | 409 | 410 | 429 | 501 | 502)[]
  /** A success has an ETag; If-Match, If-None-Match and If-Modified-Since are honoured (RFC 9110, section 13). */
  conditional?: true
  /**
   * A success is 201 with the location of the new resource (RFC 9110, section 15.3.2). The caller may send an
   * `Idempotency-Key`, which is scoped to the caller. Anonymous callers create nothing, because they cannot be
   * distinguished.
   */
  creates?: true
  /** A creating call without an `Idempotency-Key` is rejected: a repeated one must not count twice. */
  needsIdempotencyKey?: true
  /**
   * The header with the key of a webhook, which identifies the sender instead of a session or a token. It is checked
   * before the body is read; a wrong key is 401.
   */
  keyHeader?: 'x-passport-webhook-key'
  /** A success is 202 if the work is not complete yet (RFC 9110, section 15.3.3). */
  mayBePending?: true
  /** With the `preview` parameter, a call writes nothing and returns its effect: a `RoleEffect`, or of this schema. */
  previews?: true | Schema
  /**
   * The Cache-Control of a success. Defaults to `no-store`, which also applies to any request with a query that
   * the endpoint accepts.
   */
  cacheControl?: string
  /** Additional headers of a success. */
  headers?: Readonly<Record<string, string>>
  /** Any origin may read the response from a browser, not only the configured ones. */
  openToAllOrigins?: true
  rateLimit?: RateLimit
  /** A caller may send one call at a time to the endpoints of this name; others get 429 before their body is read. */
  oneAtATime?: string
  /** A call waits for another server, which does not count as load. */
  waitsForOthers?: true
}

/** The maximum age of an authentication. */
export interface Recency {
  /** Defaults to 15. */
  withinMinutes?: number
  /** Applies to a body that names roles, as `role` or as entries of `roles`. */
  ifRoles?: true
  /**
   * Applies to a call by whose effect a user gains a role, the ownership of a group with a role, or that of an
   * organisation. The rules of the change decide that, for previews too.
   */
  ifGivesRoles?: true
}

/** The default maximum age of a recent authentication, in minutes. */
export const recentMinutes = 15

/**
 * Scopes of a client that acts as an administrator: to read, and to read and write. They are separate from roles, and no
 * user's token has them.
 */
export const adminScopes = ['passport.admin.read', 'passport.admin'] as const
/** Scopes a client may have on its own behalf; only `passport.admin` includes others. */
export const clientScopes = ['permissions.read', 'permissions.write', 'entitlements.write', ...adminScopes] as const
export type ClientScope = (typeof clientScopes)[number]

/** Reports whether one of the scopes is for administration. */
export const includesAdminScope = (scopes: Iterable<string>): boolean =>
  [...scopes].some((scope) => (adminScopes as readonly string[]).includes(scope))

/**
 * Returns the scopes of which a client's token must have one. An endpoint with `recent` accepts none for administration,
 * unless it depends on the body or the effect.
 */
export function listAdmittedScopes({
  access,
  method,
  scope,
  adminScopes: isForAdministrators,
  recent,
}: Pick<Endpoint, 'access' | 'method' | 'scope' | 'adminScopes' | 'recent'>): ClientScope[] {
  const own: ClientScope[] = scope ? [scope] : []
  const isAlwaysRecent = recent !== undefined && (recent === true || !(recent.ifRoles || recent.ifGivesRoles))
  if (!(access === 'admin' || isForAdministrators) || isAlwaysRecent) return own
  const isRead = scope ? scope === 'permissions.read' : method === 'GET'
  return [...own, ...(isRead ? adminScopes : (['passport.admin'] as const))]
}

/**
 * The callers that an endpoint admits. The feature itself authorizes access to a particular resource. `setup` admits only
 * the browser that opened a set-up link, regardless of its session; no other endpoint reads the cookie of such a link.
 */
export type Access = 'anyone' | 'signedIn' | 'developer' | 'admin' | 'setup'

/** At most `requests` in any window of `perSeconds`, counted per caller or per network address. */
export interface RateLimit {
  requests: number
  perSeconds: number
  by: 'caller' | 'address'
  /** Counts only calls whose query has one of these parameters. */
  ifQueried?: readonly string[]
  /**
   * One counter of this name, shared by all processes and all endpoints with it. By address, it exempts loopback callers
   * of a server that only this machine can reach.
   */
  sharedAs?: string
}

/** The core type of zod: checking schemas against the full `z.ZodMiniType` makes TypeScript several times slower. */
export type Schema<T = unknown> = z.core.$ZodType<T, unknown>

export interface Content<S extends Schema = Schema> {
  type:
    | 'application/json'
    | 'text/plain'
    | 'text/csv'
    | 'application/yaml'
    | 'multipart/form-data'
    | 'application/octet-stream'
  schema: S
  /** The field that is sent alone, as text/plain, to a client whose `Accept` header prefers text. */
  plainField?: string
  /** The member that holds the value if the request body is a JSON object. */
  bodyField?: string
  /** A second content type that a text request body may have. */
  alternativeType?: string
  /** For a text: the media types among which the request chooses, instead of text/plain. */
  textTypes?: readonly string[]
  /** For a file that is streamed: its possible content types, each with the schema of the parsed content. */
  fileTypes?: Readonly<Record<string, Schema>>
  /** For a form: its files by the name of their part. */
  files?: Readonly<Record<string, UploadedFile>>
  /** A form that pages submit by navigation, URL-encoded or multipart. JSON is not accepted. */
  isPageForm?: true
  /** For a stored file: its possible media types. */
  storedTypes?: readonly string[]
  /** A missing request body is read as `{}`. */
  isOptional?: true
  /** The maximum size of a request body in bytes; defaults to 100 KiB. */
  maxBytes?: number
}

/**
 * The content of a request. JSON says what it describes, which decides about unknown members: see `entity`, `action` and
 * `message`.
 */
export type RequestContent = Content &
  (
    | { type: Exclude<Content['type'], 'application/json'> }
    | { type: 'application/json'; kind: 'entity' | 'action' | 'message' }
  )

/** A file of an upload; `types` are the media types by which it may also be the whole body of a request. */
export interface UploadedFile {
  types: readonly string[]
  maxBytes: number
}

/** A file that never changes, as a handler returns it. `read` returns the bytes from `start` to before `end`. */
export interface StoredFile {
  type: string
  size: number
  etag: string
  read: (start: number, end: number) => Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** A file that a handler returns: `parts` are sent in order, `name` is the suggested file name. */
export interface FileDownload {
  type: string
  name: string
  parts: AsyncIterable<string>
}

/** Describes a JSON body of a response; that of a request is an `entity`, an `action` or a `message`. */
export function json<S extends Schema>(
  schema: S,
  options: { plainField?: string; isOptional?: true; maxBytes?: number } = {},
) {
  return { type: 'application/json' as const, schema, ...options }
}

/** Describes a text body. A request may also send a JSON string, and a missing body is the empty text. */
export function text<S extends Schema<string>>(schema: S, options: { maxBytes?: number } = {}) {
  return { type: 'text/plain' as const, schema, ...options }
}

/** The default limit of a scalar: a line of text in JSON, with six bytes for each character. */
const maxScalarBytes = 8 * 1024

/** Describes a text in a response, in the media type that the request prefers (RFC 9110, section 12.5.1). */
export function negotiatedText(textTypes: readonly string[]) {
  return { type: 'text/plain' as const, schema: z.string(), textTypes }
}

/**
 * Describes a single request value: text, a JSON string, or the member `name` of a JSON object; at most 8 KiB by
 * default.
 */
export function scalar<S extends Schema<string>>(
  name: string,
  schema: S,
  options: { maxBytes?: number; alternativeType?: string } = {},
) {
  return { type: 'text/plain' as const, schema, bodyField: name, maxBytes: maxScalarBytes, ...options }
}

/** Describes a CSV upload of at most `maxBytes` (RFC 4180). The handler gets its bytes, in the encoding of the file. */
export function csv(maxBytes: number) {
  return { type: 'text/csv' as const, schema: z.custom<Uint8Array, string | Blob>(), maxBytes }
}

/**
 * Describes an upload: a form with files (RFC 7578), one file alone, or JSON with the members that are no files.
 * `maxBytes` limits the form.
 */
export function form<S extends Schema>(schema: S, options: { files: Record<string, UploadedFile>; maxBytes: number }) {
  return { type: 'multipart/form-data' as const, schema, ...options }
}

/** Describes a form that pages submit by navigation (WHATWG HTML, section 4.10.22), URL-encoded or multipart. */
export function pageForm<S extends Schema>(schema: S, options: { maxBytes: number }) {
  return { type: 'multipart/form-data' as const, schema, files: {}, isPageForm: true as const, ...options }
}

/** Describes a file that never changes; clients may request a range of it (RFC 9110, section 14). */
export function storedFile(storedTypes: readonly string[]) {
  return { type: 'application/octet-stream' as const, schema: z.custom<StoredFile>(), storedTypes }
}

/** Describes a file download. Each type has the schema of its parsed content; for CSV, a string. */
export function file(fileTypes: { [T in 'text/csv' | 'application/json' | 'application/yaml']?: Schema }) {
  const [type = 'text/csv'] = Object.keys(fileTypes) as (keyof typeof fileTypes)[]
  return { type, schema: z.custom<FileDownload>(), fileTypes }
}

/**
 * Describes an endpoint; a path parameter that `params` lacks does not compile. TypeScript checks the constraint on `E`
 * eight times faster than an intersection in the parameter's type.
 */
export function endpoint<
  const M extends Endpoint['method'],
  const P extends `/${string}`,
  const E extends Omit<Endpoint, 'method' | 'path'> & Params<NamesIn<P>>,
>(method: M, path: P, rest: E) {
  return { method, path, ...rest } as { method: M; path: P } & E
}
type NamesIn<P> = P extends `${string}{${infer Name}}${infer Rest}` ? WithoutDots<Name> | NamesIn<Rest> : never
type WithoutDots<Name> = Name extends `${infer Bare}...` ? Bare : Name
type Params<Names extends string> = [Names] extends [never]
  ? unknown
  : { params: { _zod: { output: Record<Names, unknown> } } }

/** The parsed parts of a request, as a handler receives them. */
export type ParsedRequest<E extends Endpoint> = OmitUndefined<{
  params: Output<E['params']>
  query: Output<E['query']>
  body: Output<SchemaOf<E['body']>>
}>
/** The parts of a request, as a caller sends them: fields with a default are optional. */
export type RequestInput<E extends Endpoint> = OmitUndefined<{
  params: Input<E['params']>
  query: Input<E['query']>
  body: Input<SchemaOf<E['body']>>
}>
/** The data of a response, as a handler returns it and a caller receives it. */
export type ResponseData<E extends Endpoint> = E['returns'] extends Content ? Output<SchemaOf<E['returns']>> : void

type SchemaOf<C> = C extends { schema: infer S } ? S : undefined
type Output<S> = S extends { _zod: { output: infer T } } ? T : undefined
type Input<S> = S extends { _zod: { input: infer T } } ? T : undefined
type OmitUndefined<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** Returns the parameters of a path in order; `isRest` marks the rest parameter. */
export function parsePathParameters(path: string): { name: string; isRest: boolean }[] {
  return [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map(([, name = '', dots]) => ({ name, isRest: dots !== undefined }))
}
