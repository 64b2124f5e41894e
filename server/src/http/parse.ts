import type { IncomingHttpHeaders } from 'node:http'
import type { Content, Endpoint, Schema } from '@passport/contract/endpoint'
import { parametersOf } from '@passport/contract/endpoint'
import { IdempotencyKey } from '@passport/contract/idempotency-key'
import type { Fault } from '@passport/contract/problem'
import * as z from 'zod/mini'
import { wholeOf } from './body.ts'
import { Problem } from './problem.ts'
import { isStorable } from './storable.ts'

/** The most bytes of a body that are read, where its endpoint does not say. */
const maxBodyBytes = 100 * 1024
/** Deeper than any body that means something; what looks into one must not run out of stack. */
const maxDepth = 64
/** How many faults an answer names; a longer list would cost more than the request. */
const maxFaults = 50
/** The longest key of the sender's own that a field repeats, and the longest field, in UTF-16 code units. */
const maxKeyLength = 64
const maxFieldLength = 200
/** How many faults `detail` spells out; all are in `errors`. */
const maxInDetail = 5

/** A fault whose code is the contract's own name for it, and not one of the general ones. */
interface Found extends Fault {
  isNamed?: true
}

/** A request as it came, before any of it is believed. */
export interface RawRequest {
  /** The path as the client wrote it, still percent-encoded, without the query. */
  path: string
  query: string
  headers: IncomingHttpHeaders
  readBody: () => Promise<ArrayBuffer>
}

/** A request of which every part is what the contract says. */
export interface Parts {
  params: unknown
  query: unknown
  body: unknown
  /** What the caller named the call, where it creates something. */
  idempotencyKey: string | undefined
}

export type Parse = (request: RawRequest) => Promise<Parts>

/** Reads the parts that an endpoint describes; throws one 400 that names everything wrong with any of them. */
export function parserOf({ method, path, params, query, body, creates, previews }: Endpoint): Parse {
  const readParams = parameterReader(path)
  const refuseMisread = method === 'GET' ? undefined : misreadFinder(query, previews)
  return async (request) => {
    const content = body && (await readContent(request, body))
    const found: Found[] = []
    const parsed = {
      params: params && check(params, readParams(request.path), found),
      query: query && check(query, readQuery(request.query), found),
      body: body && check(body.schema, content, found, body.bodyField),
      idempotencyKey: creates && readIdempotencyKey(request.headers, found),
    }
    refuseMisread?.(request.query, found)
    if (found.length > 0) throw invalid(found)
    return parsed
  }
}

/** Throws one 400 that names every parameter of a query that a call does not have; what is misspelt would not be read. */
export function refuseUnknownParameters(query: Schema, text: string): void {
  const found: Found[] = []
  misreadFinder(query, true)(text, found)
  if (found.length > 0) throw invalid(found)
}

function readIdempotencyKey(headers: IncomingHttpHeaders, found: Found[]): string | undefined {
  const sent = headers['idempotency-key']
  return sent === undefined ? undefined : (check(IdempotencyKey, sent, found, 'Idempotency-Key') as string | undefined)
}

/** Nobody who asks for a preview, or only to try, is to find that it was done: not where it is misspelt either. */
function misreadFinder(query: Schema | undefined, previews: boolean | undefined) {
  const known = query && new Set(['api-version', ...Object.keys((query as z.ZodMiniObject).shape)])
  return (text: string, found: Found[]) => {
    for (const name of new Set(new URLSearchParams(text).keys())) {
      if (name.toLowerCase() === 'preview' && !previews)
        found.push({ field: name, code: 'no-preview', message: 'There is no preview of this.' })
      else if (known && !known.has(name))
        found.push({ field: name, code: 'unknown-parameter', message: 'There is no such parameter of this call.' })
    }
  }
}

function parameterReader(path: string): (path: string) => Record<string, string> {
  const parameters = parametersOf(path)
  const pattern = new RegExp(`^${path.replace(/\{\w+\.\.\.\}/g, '(.+)').replace(/\{\w+\}/g, '([^/]+)')}$`)
  return (asked) => {
    const values = pattern.exec(asked)
    if (!values) throw new Problem(404, 'not-found', 'No such path.')
    return Object.fromEntries(parameters.map(({ name }, at) => [name, decode(name, values[at + 1] ?? '')]))
  }
}

function decode(name: string, encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw invalid([{ field: name, code: 'invalid-encoding', message: 'Is not percent-encoded UTF-8.' }])
  }
}

/** A parameter that is repeated comes as a list, so that a schema for one value refuses it. */
function readQuery(text: string): Record<string, unknown> {
  const query = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

async function readContent(
  { headers, readBody }: RawRequest,
  { type, alias, bodyField, isOptional, maxBytes = maxBodyBytes }: Content,
): Promise<unknown> {
  if (headers['transfer-encoding'] !== undefined)
    throw new Problem(411, 'length-required', 'Send the body with a Content-Length.')
  const length = Number(headers['content-length'] ?? 0)
  if (length > maxBytes) throw new Problem(413, 'too-large', `A body has at most ${maxBytes} bytes.`)
  if (length === 0 && type === 'text/plain') return ''
  if (length === 0 && isOptional) return {}
  const sent = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const isText = sent !== undefined && type !== 'application/json' && (sent === type || sent === alias)
  if (!isText && (sent !== 'application/json' || type === 'text/csv')) {
    throw new Problem(415, 'unsupported-media-type', `Expects ${type}, got ${sent ?? 'no Content-Type'}.`)
  }
  const text = decodeUtf8(await wholeOf(readBody()))
  if (isText) return text
  const value = parseJson(text)
  const isMember = bodyField !== undefined && typeof value === 'object' && value !== null && bodyField in value
  return isMember ? (value as Record<string, unknown>)[bodyField] : value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Problem(400, 'invalid-encoding', 'The body is not UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(400, 'invalid-json', `The body is not JSON: ${(error as Error).message}`)
  }
}

/** Reads a value, or adds each of its faults to those found; `name` is what the whole is called, where it is one value. */
export function check(schema: Schema, value: unknown, found: Found[], name?: string): unknown {
  const before = found.length
  const root = name === undefined ? [] : [name]
  findUnstorable(value, root, found)
  if (found.length > before) return undefined
  const result = z.safeParse(schema, value)
  if (result.success) return result.data
  for (const issue of result.error.issues.slice(0, maxFaults)) {
    const named = issue.code === 'custom' ? issue.params?.['code'] : undefined
    const fault = { field: fieldOf([...root, ...issue.path]), message: issue.message }
    found.push(named ? { ...fault, code: named, isNamed: true } : { ...fault, code: issue.code.replaceAll('_', '-') })
  }
  return undefined
}

/** Adds values that the database cannot store, up to `maxFaults`. `path` leads to the value and is shared by the whole walk. */
function findUnstorable(value: unknown, path: PropertyKey[], found: Found[]): void {
  if (found.length >= maxFaults) return
  if (typeof value === 'string') {
    if (isStorable(value)) return
    found.push({ field: fieldOf(path), code: 'invalid-text', message: 'Holds a NUL or half of a surrogate pair.' })
  } else if (path.length > maxDepth) {
    found.push({ field: fieldOf(path.slice(0, 1)), code: 'too-deep', message: `Is nested deeper than ${maxDepth}.` })
  } else if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) findWithin(value[at], at, path, found)
  } else if (typeof value === 'object') {
    for (const key in value) {
      findUnstorable(key, path, found)
      findWithin((value as Record<string, unknown>)[key], key, path, found)
    }
  }
}

function findWithin(value: unknown, step: PropertyKey, path: PropertyKey[], found: Found[]): void {
  path.push(step)
  findUnstorable(value, path, found)
  path.pop()
}

/** `['members', 2]` → `members[2]`; the whole body is `body`. Long keys and paths are cut. */
function fieldOf(path: PropertyKey[]): string {
  const field = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${cut(String(step), maxKeyLength)}`))
  return cut(field.join('').replace(/^\./, ''), maxFieldLength) || 'body'
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text
}

/** Where all faults are of one kind that has a name of its own, the problem has that name. */
function invalid(found: Found[]): Problem {
  const [code, ...others] = new Set(found.map((fault) => (fault.isNamed ? fault.code : 'invalid-request')))
  const errors = found.slice(0, maxFaults).map(({ field, code, message }) => ({ field, code, message }))
  const sentences = errors.slice(0, maxInDetail).map(({ field, message }) => `${field}: ${message}`)
  const detail = [...sentences, ...(found.length > maxInDetail ? ['And more.'] : [])].join(' ')
  return new Problem(400, code && others.length === 0 ? code : 'invalid-request', detail, { errors })
}
