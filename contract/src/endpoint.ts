import * as z from 'zod/mini'

/** One call of the API as plain data: the server serves it, clients call it, OpenAPI describes it. */
export interface Endpoint {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** `{name}` is one segment of the path; `{name...}`, only at the end, is all that is left of it. */
  path: `/${string}`
  summary: string
  access: Access
  /** A bearer token with the scope `api_vertex_core` may stand in for the session cookie. */
  bearer?: true
  /**
   * An application may call it for itself, with no person: by a token of the client-credentials grant (RFC 6749, section
   * 4.4) that has this scope. Such a token opens nothing else.
   */
  scope?: ClientScope
  /** Asked by a timer, not by a person: does not count as activity of the session. */
  polled?: true
  params?: Schema
  query?: Schema
  body?: Content
  /** What a success carries; an endpoint without it answers 204. */
  returns?: Content
  /** What a caller must be ready for besides what the rest of the description implies. */
  fails?: readonly (404 | 409 | 410 | 429 | 501 | 502 | 503)[]
  /** Success carries an ETag, and If-Match, If-None-Match and If-Modified-Since are honoured (RFC 9110, section 13). */
  conditional?: true
  /**
   * Success is 201 with the place of what was made (RFC 9110, section 15.3.2). Whoever calls may send an `Idempotency-Key`,
   * which is theirs alone: strangers, who have nothing to be told apart by, create nothing.
   */
  creates?: true
  /** Asked with `preview`, which its query takes (`RoleChangeQuery`), it writes nothing and answers a `RoleEffect`. */
  previews?: true
  /** The Cache-Control of a success; `no-store` unless told, and wherever it was asked with a query that the endpoint takes. */
  cacheControl?: string
  /** What a success carries besides. */
  headers?: Readonly<Record<string, string>>
  /** Any origin may read the answer from a browser, not only the configured ones. */
  openToAllOrigins?: true
  rateLimit?: RateLimit
}

/** What a client may be allowed to do for itself; none implies another. */
export const clientScopes = ['permissions.read', 'permissions.write'] as const
export type ClientScope = (typeof clientScopes)[number]

/** Who may call; what they may do to one particular thing is for the room to say. */
export type Access = 'anyone' | 'signedIn' | 'developer' | 'admin'

/** At most `requests` in any window of `perSeconds`, counted for each caller or for each network address. */
export interface RateLimit {
  requests: number
  perSeconds: number
  by: 'caller' | 'address'
  /** Only calls whose query names one of these count. */
  ifQueried?: readonly string[]
  /** By address alone: counted by this name over all processes, with whatever else has it; not for who is on the server's own machine. */
  sharedAs?: string
}

/** The core type of zod: checking schemas against the full `z.ZodMiniType` makes TypeScript several times slower. */
export type Schema<T = unknown> = z.core.$ZodType<T, unknown>

export interface Content<S extends Schema = Schema> {
  type: 'application/json' | 'text/plain' | 'text/csv' | 'application/yaml'
  schema: S
  /** The field that is told alone, as text/plain, to a client whose Accept prefers that. */
  plainField?: string
  /** The member that holds the value where a request body is a JSON object. */
  bodyField?: string
  /** What else a request body that is text may be called. */
  alias?: string
  /** An answer that is a file, sent while it is made, in one of these types. */
  fileTypes?: readonly string[]
  /** A request without a body is taken as `{}`. */
  isOptional?: true
  /** The most bytes of a request body; 100 KiB unless told. */
  maxBytes?: number
}

/** What a handler returns for a file: `parts` are sent one after the other, `name` is what a browser saves it as. */
export interface SentFile {
  type: string
  name: string
  parts: AsyncIterable<string>
}

/** JSON in or out. */
export function json<S extends Schema>(
  schema: S,
  more: { plainField?: string; isOptional?: true; maxBytes?: number } = {},
) {
  return { type: 'application/json' as const, schema, ...more }
}

/** Text in or out; as a request body a JSON string is taken too, and no body at all is the empty text. */
export function text<S extends Schema<string>>(schema: S, more: { maxBytes?: number } = {}) {
  return { type: 'text/plain' as const, schema, ...more }
}

/** One value coming in: as text, as a JSON string, or as the member `name` of a JSON object. */
export function scalar<S extends Schema<string>>(
  name: string,
  schema: S,
  more: { maxBytes?: number; alias?: string } = {},
) {
  return { type: 'text/plain' as const, schema, bodyField: name, ...more }
}

/** A table coming in as a file of at most `maxBytes` (RFC 4180, UTF-8). */
export function csv<S extends Schema<string>>(schema: S, maxBytes: number) {
  return { type: 'text/csv' as const, schema, maxBytes }
}

/** A file going out, in one of the types. */
export function file(...fileTypes: ('text/csv' | 'application/json' | 'application/yaml')[]) {
  return { type: fileTypes[0] ?? 'text/csv', schema: z.custom<SentFile>(), fileTypes }
}

/**
 * Describes an endpoint; a parameter of the path that `params` lacks does not compile.
 * The check is a constraint of `E`, not an intersection in the parameter's type: that costs eight times less to check.
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

/** What a handler receives: every part parsed. */
export type Received<E extends Endpoint> = Present<{
  params: Output<E['params']>
  query: Output<E['query']>
  body: Output<SchemaOf<E['body']>>
}>
/** What a caller sends: fields with a default may be left out. */
export type Sent<E extends Endpoint> = Present<{
  params: Input<E['params']>
  query: Input<E['query']>
  body: Input<SchemaOf<E['body']>>
}>
/** What a handler returns and a caller gets. */
export type Returned<E extends Endpoint> = E['returns'] extends Content ? Output<SchemaOf<E['returns']>> : void

type SchemaOf<C> = C extends { schema: infer S } ? S : undefined
type Output<S> = S extends { _zod: { output: infer T } } ? T : undefined
type Input<S> = S extends { _zod: { input: infer T } } ? T : undefined
type Present<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** The parameters of a path in their order; `isRest` tells the one that takes all that is left. */
export function parametersOf(path: string): { name: string; isRest: boolean }[] {
  return [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map(([, name = '', dots]) => ({ name, isRest: dots !== undefined }))
}
