import { createOpenApiDocument } from '@passport/contract/openapi'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startAwsService } from './marketplace/test-aws.ts'
import type { TestService } from './test-service.ts'

// Sends each operation of the OpenAPI document with an invalid value. The response must be documented, its problem must
// name the error, and a rejected request must not write anything.

/** The requests are the same in each run unless `FC_SEED` is set. */
const { numRuns = 100, seed = 20261121 } = fc.readConfigureGlobal()

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
interface JsonSchema {
  $ref?: string
  type?: string | string[]
  enum?: Json[]
  const?: Json
  format?: string
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
}
interface Operation {
  operationId: string
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, unknown>
}

const document = createOpenApiDocument({ title: 'Passport', version: 'v1' })
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .map(([method, operation]) => ({ path, method, operation: operation as Operation }))
    // A stream does not end.
    .filter(({ operation }) => !JSON.stringify(operation.responses['200'] ?? '').includes('text/event-stream')),
)

let service: TestService
let eventKey: string
let userIds: string[]
beforeAll(async () => {
  // An AWS Marketplace answers the calls that would otherwise be 503.
  ;({ service, eventKey } = await startAwsService({ products: [] }))
  const visitors = await Promise.all((['eve', 'dev'] as const).map((name) => service.as(name)))
  userIds = visitors.map(({ id }) => id)
})

/** Values that have broken servers: wrong types, numbers out of range, long text, bidi controls, lone surrogates. */
const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    -1,
    1e308,
    0.5,
    2 ** 53,
    '',
    ' ',
    '..',
    'a\0b',
    '\u202eevil',
    '\u0007',
    '\ud800',
    'x'.repeat(5000),
    "'; drop table users; --",
    '%00',
    '<script>',
    '2026-13-45T00:00:00Z',
    [],
    {},
    [[[]]],
    { __proto__: null, constructor: 1 },
    Array.from({ length: 300 }, () => 'same'),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
)

const knownValues = () =>
  fc.constantFrom(...userIds, 'me', '01980000-0000-7000-8000-000000000000', 'Passport.Developer')

/** Returns an arbitrary of values that match a schema. */
function valuesFor(schema: JsonSchema): fc.Arbitrary<Json> {
  if (schema.$ref) return valuesFor(resolveRef(schema.$ref))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(valuesFor))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return objectsFor(schema)
  if (type === 'array') return fc.array(valuesFor(schema.items ?? {}), { maxLength: 3 })
  if (type === 'integer' || type === 'number') return fc.integer({ min: 1, max: 20 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (schema.format === 'date-time') return fc.constantFrom('2026-11-21T09:30:00.000Z', '2099-01-01T00:00:00.000Z')
  if (schema.format === 'email') return fc.constant('someone@contoso.example')
  return fc.oneof(knownValues(), fc.stringMatching(/^[A-Za-z][a-z.]{1,12}$/))
}

function objectsFor({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Json> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valuesFor(inner)]))
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) })
}

const resolveRef = (name: string) =>
  (document.components.schemas as Record<string, JsonSchema>)[name.replace('#/components/schemas/', '')] ?? {}

interface RequestInput {
  path: Record<string, Json>
  query: Record<string, Json>
  body: Json | undefined
}

function requestsFor({ parameters, requestBody }: Operation): fc.Arbitrary<RequestInput> {
  const parametersIn = (place: 'path' | 'query') =>
    objectsFor({
      properties: Object.fromEntries(
        parameters.filter((parameter) => parameter.in === place).map(({ name, schema }) => [name, schema]),
      ),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    }) as fc.Arbitrary<Record<string, Json>>
  const content = requestBody && (requestBody.content['application/json'] ?? Object.values(requestBody.content)[0])
  const valid = fc.record({
    path: parametersIn('path'),
    query: parametersIn('query'),
    body: content ? valuesFor(content.schema) : fc.constant(undefined),
  })
  return fc.tuple(valid, fc.nat(), hostile).map(([input, place, invalid]) => corrupt(input, place, invalid))
}

/** Replaces one part of a request with `invalid`: a parameter, the body, or a value in the body. */
function corrupt(input: RequestInput, place: number, invalid: Json): RequestInput {
  const variants = [
    ...Object.keys(input.path).map((name) => ({ ...input, path: { ...input.path, [name]: invalid } })),
    ...Object.keys(input.query).map((name) => ({ ...input, query: { ...input.query, [name]: invalid } })),
    ...(input.body === undefined ? [] : [{ ...input, body: invalid }]),
    ...corruptInside(input.body, invalid).map((body) => ({ ...input, body })),
    input,
  ]
  return variants[place % variants.length] ?? input
}

function corruptInside(value: Json | undefined, invalid: Json): Json[] {
  if (Array.isArray(value))
    return value.flatMap((inner, index) => [
      value.with(index, invalid),
      ...corruptInside(inner, invalid).map((corrupted) => value.with(index, corrupted)),
    ])
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    { ...value, [name]: invalid },
    ...corruptInside(inner, invalid).map((corrupted) => ({ ...value, [name]: corrupted })),
  ])
}

const formatText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
const encode = (value: Json) => encodeURIComponent(formatText(value).toWellFormed()) || '%20'

async function send(path: string, method: string, operation: Operation, { path: params, query, body }: RequestInput) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encode(params[name] ?? 'x').replace(/^\.{1,2}$/, '%20'),
  )
  const search = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encode(value)}`)
  const types = Object.keys(operation.requestBody?.content ?? {})
  const type = types.includes('application/json') ? 'application/json' : types[0]
  const headers = { 'x-passport-webhook-key': eventKey, ...(type && { 'content-type': type }) }
  const init =
    body === undefined
      ? { method, headers }
      : { method, headers, body: type === 'application/json' ? JSON.stringify(body) : formatText(body) }
  // Each call has a new session, because some calls end their own.
  const ada = await service.as('ada')
  return ada.fetch(`${filled}?${search.join('&')}`, init)
}

/** The digest after the last rejected write; undefined after an accepted one. */
let digest: string | undefined

/** Returns a digest of the tables of users, organisations, groups, roles, invitations, preferences and clients. */
async function digestDatabase(): Promise<string> {
  const tables = await service.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name ~ '^(user|org|group|role|join|invitation|preference|login|client|consent)'
    order by table_name`
  const digests = tables.map(
    ({ name }) => `(select coalesce(md5(string_agg(t::text, ',' order by t::text)), '') from "${name}" t)`,
  )
  const [row] = await service.sql.unsafe(`select ${digests.join(` || `)} as digest`)
  return row?.['digest'] as string
}

for (const { path, method, operation } of operations) {
  describe(operation.operationId, () => {
    test('rejects invalid input as documented, without writing', async () => {
      await fc.assert(
        fc.asyncProperty(requestsFor(operation), async (input) => {
          const before = method === 'get' ? '' : (digest ?? (await digestDatabase()))
          digest = undefined
          const response = await send(path, method.toUpperCase(), operation, input)
          const responseText = await response.text()
          expect(response.status, responseText).toBeLessThan(500)
          if (response.status < 400) return
          expect(Object.keys(operation.responses).map(Number), responseText).toContain(response.status)
          expect(response.headers.get('content-type')).toBe('application/problem+json')
          const problem = JSON.parse(responseText)
          expect(problem).toMatchObject({ status: response.status, code: expect.stringMatching(/^[a-z-]+$/) })
          for (const { field, message } of problem.errors ?? [])
            expect([field, message], responseText).not.toContain('')
          if (method === 'get') return
          digest = await digestDatabase()
          expect(digest, responseText).toBe(before)
        }),
        { numRuns: numRuns / 10, seed },
      )
    })
  })
}
