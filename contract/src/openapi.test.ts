import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endpoints } from './api.ts'
import { idempotencyErrors } from './idempotency-key.ts'
import { createOpenApiDocument } from './openapi.ts'

const committed = new URL('../../docs/openapi.json', import.meta.url)

test('docs/openapi.json matches the contract; `npm run openapi` writes it', () => {
  expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(
    createOpenApiDocument({ title: 'Passport', version: 'v1' }),
  )
})

test('the document describes the parameters, request body, responses and security of an endpoint', () => {
  const { paths, components } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  expect(paths['/passport/preferences/{userId}/{key}']?.['put']).toMatchObject({
    operationId: 'putPreference',
    tags: ['preferences'],
    security: [{ session: [] }, { bearer: ['api_vertex_core'] }],
    parameters: [
      { name: 'userId', in: 'path', required: true },
      { name: 'key', in: 'path', required: true },
      { name: 'If-Match', in: 'header', required: false },
    ],
    requestBody: { required: false, content: { 'text/plain': {}, 'application/json': {} } },
    responses: { 204: {}, 400: {}, 401: {}, 403: {}, 404: {}, 409: {}, 411: {}, 412: {}, 413: {}, 415: {} },
  })
  expect(paths['/passport/info/version']?.['get']).toMatchObject({
    responses: {
      200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Version' } }, 'text/plain': {} } },
      304: {},
    },
  })
  expect(Object.keys(components.schemas)).toContain('Problem')
})

test('summaries are short imperatives without a full stop', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' }) as {
    paths: Record<string, Record<string, { summary: string }>>
  }
  const summaries = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ summary }) => summary))
  expect(summaries.filter((summary) => !/^[A-Z].{1,59}$/.test(summary) || summary.endsWith('.'))).toEqual([])
})

test('every operation lists 503 among its responses', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' }) as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  expect(operations.filter(({ responses }) => !('503' in responses))).toEqual([])
})

test('a file response has the schema of its parsed content', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  const okResponse = (content: object) => ({ responses: { 200: { content } } })
  const validationFile = { schema: { $ref: '#/components/schemas/ValidationFile' } }
  expect(paths['/passport/admin/tools/permissions/export']?.['get']).toMatchObject(
    okResponse({ 'application/yaml': validationFile }),
  )
  const entries = { schema: { type: 'array', items: { $ref: '#/components/schemas/AuditEntry' } } }
  expect(paths['/passport/admin/audit/export']?.['get']).toMatchObject(
    okResponse({ 'text/csv': { schema: { type: 'string' } }, 'application/json': entries }),
  )
})

test('the document describes every query parameter', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  const withQuery = [...endpoints.values()].filter(({ query }) => query)
  expect(withQuery.length).toBeGreaterThan(20)
  for (const { path, method } of withQuery) {
    const operation = paths[path.replace('...}', '}')]?.[method.toLowerCase()]
    const queryParameters = expect.arrayContaining([expect.objectContaining({ in: 'query' })])
    expect(operation, `${method} ${path}`).toMatchObject({ parameters: queryParameters })
  }
})

test('GET accepts If-None-Match and PUT accepts If-Match; only GET responds with 304', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  expect(paths['/passport/admin/tools/permissions/schema']).toMatchObject({
    get: { parameters: [{ name: 'If-None-Match', in: 'header', required: false }], responses: { 200: {}, 304: {} } },
    put: { parameters: [{ name: 'If-Match', in: 'header', required: false }], responses: { 200: {}, 412: {} } },
  })
  const all = Object.values(paths).flatMap((methods) => Object.entries(methods))
  const unmodified = all.filter(([, operation]) => '304' in (operation as { responses: object }).responses)
  expect(new Set(unmodified.map(([method]) => method))).toEqual(new Set(['get']))
})

test('the document describes the stream of commits', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  expect(paths['/passport/admin/tools/permissions/watch']?.['get']).toMatchObject({
    security: expect.arrayContaining([{ session: [] }, { client: ['permissions.read'] }]),
    parameters: expect.arrayContaining(
      [
        { name: 'from', in: 'query' },
        { name: 'resourceType', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
        { name: 'subjectId', in: 'query' },
        { name: 'Last-Event-ID', in: 'header' },
      ].map((parameter) => expect.objectContaining(parameter)),
    ),
    responses: {
      200: { content: { 'text/event-stream': { schema: { required: ['token', 'updates', 'isSchemaChange'] } } } },
    },
  })
})

test('the document describes the stream of a device authorization', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  const statuses = ['none', 'pending', 'viewed', 'approved', 'denied', 'expired']
  expect(paths['/passport/deviceauthorization/events']?.['get']).toMatchObject({
    operationId: 'watchDeviceAuthorization',
    security: [{ session: [] }],
    responses: {
      200: { content: { 'text/event-stream': { schema: { properties: { status: { enum: statuses } } } } } },
      401: {},
      429: {},
      503: {},
    },
  })
})

test('a single value is accepted as text, as a JSON string and as a property of a JSON object', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  expect(paths['/passport/profile/{profileId}/displayname']?.['put']).toMatchObject({
    requestBody: {
      content: {
        'text/plain': { schema: { type: 'string' } },
        'application/json': {
          schema: { anyOf: [{ type: 'string' }, { type: 'object', required: ['displayname'] }] },
        },
      },
    },
  })
})

test('creating endpoints take an Idempotency-Key and require a signed-in caller', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  const creatingEndpoints = [...endpoints.values()].filter(({ creates }) => creates)
  expect(creatingEndpoints.length).toBeGreaterThan(7)
  const key = expect.objectContaining({
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: expect.objectContaining({ type: 'string', minLength: 1, maxLength: 255 }),
  })
  for (const { path, method, access } of creatingEndpoints) {
    expect({ path, method, access }).toEqual({ path, method: 'POST', access: expect.not.stringMatching('anyone') })
    const operation = paths[path]?.['post']
    expect(operation, path).toMatchObject({ parameters: expect.arrayContaining([key]) })
    for (const code of Object.keys(idempotencyErrors)) {
      expect(operation, path).toMatchObject({ responses: { 409: { description: expect.stringContaining(code) } } })
    }
  }
})

test('endpoints with recent authentication list reauthentication-required, and session-required if they reject tokens', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  const recentEndpoints = [...endpoints.values()].filter(({ recent }) => recent)
  expect(recentEndpoints.length).toBeGreaterThan(15)
  for (const { path, method, scope, recent } of recentEndpoints) {
    const isByEffect = recent !== true && recent?.ifGivesRoles && !recent.ifRoles
    const expectedResponses = {
      401: { description: expect.stringContaining('reauthentication-required') },
      ...(!scope && !isByEffect && { 403: { description: expect.stringContaining('session-required') } }),
    }
    expect(paths[path]?.[method.toLowerCase()], path).toMatchObject({ responses: expectedResponses })
  }
})

test('endpoints that create nothing take no Idempotency-Key', () => {
  const { paths } = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  const nonCreatingEndpoints = [...endpoints.values()].filter(({ creates }) => !creates)
  for (const { path, method } of nonCreatingEndpoints) {
    const operation = paths[path.replace('...}', '}')]?.[method.toLowerCase()]
    expect(JSON.stringify(operation), path).not.toContain('dempotency')
  }
})
