import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Content, Endpoint, Schema } from '@passport/contract/endpoint'
import { parsePathParameters } from '@passport/contract/endpoint'
import type { FieldCode } from '@passport/contract/field-codes'
import { IdempotencyKey } from '@passport/contract/idempotency-key'
import type { FieldError } from '@passport/contract/problem'
import * as z from 'zod/mini'
import { rejectIncomplete } from './body.ts'
import { bytesInOneTurn, decodeInTurns } from './decode-in-turns.ts'
import { findUnstorable, JsonMeter, maxDepth, maxValues } from './foreign-json.ts'
import { type Problem, truncateText } from './problem.ts'
import {
  invalidEncoding,
  invalidFields,
  invalidJson,
  invalidRequest,
  lengthRequired,
  notFound,
  tooLarge,
  unsupportedMediaType,
} from './problems.ts'
import { pageFormTypes, readUpload, selectUpload } from './upload.ts'

/** The default size limit of a body in bytes. */
const maxBodyBytes = 100 * 1024
/** Above this size a body is read in several turns of the event loop, so that other requests are not delayed. */
const maxBytesInOneTurn = 256 * 1024
/** The maximum length of a list: checking an invalid element takes up to 15 µs. */
const maxElements = 5_000
/** The number of errors in a response; a longer list would cost more than the request. */
const maxErrors = 50
/** The maximum length of a key of the body within a field name, in UTF-16 code units. */
const maxKeyLength = 64
/** The maximum length of a field name, in UTF-16 code units. */
const maxFieldLength = 200
/** The maximum length of an error's message: a strict schema would list every unknown member. */
const maxMessageLength = 300
/** The number of errors that `detail` repeats; all are in `errors`. */
const maxInDetail = 5

interface FoundError extends FieldError {
  /** The same as `code` if that is a code of the contract rather than a generic one. */
  fieldCode?: FieldCode
}

/** A request before validation. */
export interface RawRequest {
  /** The path as the client sent it, still percent-encoded, without the query. */
  path: string
  query: string
  headers: IncomingHttpHeaders
  readBody: () => Promise<ArrayBuffer>
}

/** The parts of a request, validated by the contract. */
export interface Parts {
  params: unknown
  query: unknown
  body: unknown
  /** The idempotency key of a creating call. */
  idempotencyKey: string | undefined
}

export type Parse = (request: RawRequest) => Promise<Parts>

/** Creates the parser of the parts that an endpoint describes; it throws one 400 with the errors of all parts. */
export function createParser(endpoint: Endpoint): Parse {
  const { method, path, params, query, body, creates, needsIdempotencyKey, previews } = endpoint
  const readParams = createParameterReader(path)
  const checkParameters = method === 'GET' ? undefined : createParameterCheck(query, previews !== undefined)
  return async (request) => {
    const nextTurn = chooseNextTurn(request)
    const content = body && (await readContent(request, body, nextTurn))
    await nextTurn()
    const errors: FoundError[] = []
    const parsed = {
      params: params && check(params, readParams(request.path), errors),
      query: query && check(query, readQuery(request.query), errors),
      body: body && check(body.schema, content, errors, body.bodyField),
      idempotencyKey: creates && readIdempotencyKey(request.headers, errors, needsIdempotencyKey),
    }
    checkParameters?.(request.query, errors)
    if (errors.length > 0) throw toInvalidRequest(errors)
    return parsed
  }
}

/** Throws one 400 that names every unknown query parameter: a misspelt one would otherwise be ignored. */
export function rejectUnknownParameters(query: Schema, text: string): void {
  const errors: FoundError[] = []
  createParameterCheck(query, true)(text, errors)
  if (errors.length > 0) throw toInvalidRequest(errors)
}

function readIdempotencyKey(
  headers: IncomingHttpHeaders,
  errors: FoundError[],
  isRequired = false,
): string | undefined {
  const sent = headers['idempotency-key']
  if (isRequired && sent === undefined)
    errors.push({
      field: 'Idempotency-Key',
      code: 'header-missing',
      message: 'Send a key, so that a repeated call does not count twice.',
    })
  return sent === undefined ? undefined : (check(IdempotencyKey, sent, errors, 'Idempotency-Key') as string | undefined)
}

/**
 * Creates a check for unknown parameters, and for `preview` where it is not supported: a request for a preview must
 * never be executed, even if the parameter is misspelt.
 */
function createParameterCheck(query: Schema | undefined, previews: boolean) {
  const known = query && new Set(['api-version', ...Object.keys((query as z.ZodMiniObject).shape)])
  return (text: string, errors: FoundError[]) => {
    for (const name of new Set(new URLSearchParams(text).keys())) {
      if (name.toLowerCase() === 'preview' && !previews)
        errors.push({ field: name, code: 'no-preview', message: 'This endpoint does not support preview.' })
      else if (known && !known.has(name))
        errors.push({ field: name, code: 'unknown-parameter', message: 'Unknown parameter.' })
    }
  }
}

function createParameterReader(path: string): (path: string) => Record<string, string> {
  const parameters = parsePathParameters(path)
  const pattern = new RegExp(`^${path.replace(/\{\w+\.\.\.\}/g, '(.+)').replace(/\{\w+\}/g, '([^/]+)')}$`)
  return (requestPath) => {
    const values = pattern.exec(requestPath)
    if (!values) throw notFound()
    return Object.fromEntries(parameters.map(({ name }, index) => [name, decode(name, values[index + 1] ?? '')]))
  }
}

function decode(name: string, encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw toInvalidRequest([{ field: name, code: 'invalid-encoding', message: 'Must be percent-encoded UTF-8.' }])
  }
}

/** Parses a query. A repeated parameter becomes a list, so that a schema for one value rejects it. */
function readQuery(text: string): Record<string, unknown> {
  const byName = Map.groupBy(new URLSearchParams(text), ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

const lengthOf = ({ headers }: RawRequest) => Number(headers['content-length'] ?? 0)

/** Returns a function that yields to the event loop for large requests. */
function chooseNextTurn(request: RawRequest): () => Promise<unknown> {
  return lengthOf(request) > maxBytesInOneTurn ? () => setImmediate() : () => Promise.resolve()
}

async function readContent(request: RawRequest, content: Content, nextTurn: () => Promise<unknown>): Promise<unknown> {
  const { type, alternativeType, bodyField, isOptional } = content
  const { headers, readBody } = request
  if (headers['transfer-encoding'] !== undefined) throw lengthRequired()
  const upload = selectUpload(content, headers['content-type'])
  if (content.isPageForm && !upload) throw unsupportedMediaType(pageFormTypes.join(' or '), headers['content-type'])
  const length = lengthOf(request)
  const maxBytes = upload?.maxBytes ?? (content.files ? maxBodyBytes : (content.maxBytes ?? maxBodyBytes))
  if (length > maxBytes) throw tooLarge(`The body must have at most ${maxBytes} bytes.`)
  if (upload) return readUpload(content, upload, await rejectIncomplete(readBody()))
  if (length === 0 && type === 'text/plain') return ''
  if (length === 0 && isOptional) return {}
  const sent = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const isText = sent !== undefined && type !== 'application/json' && (sent === type || sent === alternativeType)
  if (!isText && (sent !== 'application/json' || type === 'text/csv'))
    throw unsupportedMediaType(listTypes(content), sent)
  const bytes = await rejectIncomplete(readBody())
  if (type === 'text/csv') return new Uint8Array(bytes)
  await nextTurn()
  if (!isText) {
    await rejectManyValues(new Uint8Array(bytes), nextTurn)
    await nextTurn()
  }
  const text = await decodeUtf8(bytes)
  if (isText) return text
  await nextTurn()
  const value = parseJson(text)
  const isMember = bodyField !== undefined && typeof value === 'object' && value !== null && bodyField in value
  return isMember ? (value as Record<string, unknown>)[bodyField] : value
}

/** Lists the content types of a body, including those of a file that is the whole body. */
const listTypes = ({ type, files = {} }: Content): string =>
  [type, ...Object.values(files).flatMap(({ types }) => types)].join(' or ')

/** Throws 413 if JSON has too many values to parse. */
async function rejectManyValues(bytes: Uint8Array, nextTurn: () => Promise<unknown>): Promise<void> {
  const meter = new JsonMeter()
  for (let index = 0; index < bytes.length; index += bytesInOneTurn) {
    meter.add(bytes, index, Math.min(bytes.length, index + bytesInOneTurn))
    if (meter.values > maxValues) throw tooLarge(`The body must have at most ${maxValues} values.`)
    if (index + bytesInOneTurn < bytes.length) await nextTurn()
  }
}

async function decodeUtf8(bytes: ArrayBuffer): Promise<string> {
  try {
    return await decodeInTurns(new Uint8Array(bytes), new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }))
  } catch {
    throw invalidEncoding()
  }
}

function parseJson(text: string): unknown {
  try {
    // A client may send a file with a byte order mark, which RFC 8259 (section 8.1) allows to ignore.
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
  } catch (error) {
    throw invalidJson(error as Error)
  }
}

/** Parses a value, or adds its errors to `errors` and returns undefined; `name` is the field of a single value. */
export function check(schema: Schema, value: unknown, errors: FoundError[], name?: string): unknown {
  const before = errors.length
  const root = name === undefined ? [] : [name]
  addUnstorable(value, root, errors)
  if (errors.length > before) return undefined
  const result = z.safeParse(schema, value, { reportInput: true })
  if (result.success) return result.data
  for (const issue of result.error.issues.slice(0, maxErrors)) errors.push(toFoundError(issue, root))
  return undefined
}

function toFoundError(issue: z.core.$ZodIssue, root: string[]): FoundError {
  const field = formatField([...root, ...issue.path])
  const message = truncateText(issue.message, maxMessageLength)
  if (issue.code !== 'custom')
    // JSON has no undefined: the field is missing, whatever its type.
    return issue.input === undefined
      ? { field, code: 'missing', message: 'Is missing.' }
      : { field, code: issue.code.replaceAll('_', '-'), message }
  const fieldCode: FieldCode | undefined = issue.params?.['code']
  if (fieldCode) return { field, code: fieldCode, message, fieldCode }
  return { field, code: issue.params?.['isMissing'] ? 'missing' : 'custom', message }
}

const sentences = {
  'invalid-text': 'Must not contain a NUL or an unpaired surrogate.',
  'invalid-number': 'Must be a number in the range of a double.',
  'too-deep': `Must not be nested deeper than ${maxDepth} levels.`,
}

/** Adds the parts of a value that cannot be stored and lists that are too long, up to `maxErrors`. */
function addUnstorable(value: unknown, root: PropertyKey[], errors: FoundError[]): void {
  const add = (path: readonly PropertyKey[], code: string, message: string) => {
    errors.push({ field: formatField(path), code, message })
    return errors.length < maxErrors
  }
  findUnstorable(
    value,
    root,
    ({ code, path }) => add(code === 'too-deep' ? path.slice(0, 1) : path, code, sentences[code]),
    (list, path) => {
      if (list.length <= maxElements) return true
      add(path, 'too-big', `Must have at most ${maxElements} elements.`)
      return false
    },
  )
}

/** Formats a path as a field name: `['members', 2]` as `members[2]`, the whole body as `body`. Truncates long ones. */
function formatField(path: readonly PropertyKey[]): string {
  const field = path.map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${truncateText(String(step), maxKeyLength)}`,
  )
  return truncateText(field.join('').replace(/^\./, ''), maxFieldLength) || 'body'
}

/** Creates the problem for some errors. If all have the same code of the contract, the problem has that code. */
function toInvalidRequest(found: FoundError[]): Problem {
  const [code, ...others] = new Set(found.map((error) => error.fieldCode))
  const errors = found.slice(0, maxErrors).map(({ field, code, message }) => ({ field, code, message }))
  const sentences = errors.slice(0, maxInDetail).map(({ field, message }) => `${field}: ${message}`)
  const detail = [...sentences, ...(found.length > maxInDetail ? ['More errors are not listed.'] : [])].join(' ')
  const kind = code && others.length === 0 ? invalidFields[code] : invalidRequest
  return kind(detail, errors)
}
