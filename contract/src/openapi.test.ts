import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endpoints } from './api.ts'
import { idempotencyFaults } from './idempotency-key.ts'
import { openapi } from './openapi.ts'

const committed = new URL('../../docs/openapi.json', import.meta.url)

test('docs/openapi.json is what the contract says; `npm run openapi` writes it', () => {
  expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(openapi({ title: 'Passport', version: 'v1' }))
})

test('tells every part of an endpoint', () => {
  const { paths, components } = openapi({ title: 'Passport', version: 'v1' })
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

test('every parameter of a query is told', () => {
  const { paths } = openapi({ title: 'Passport', version: 'v1' })
  const asking = [...endpoints.values()].filter(({ query }) => query)
  expect(asking.length).toBeGreaterThan(20)
  for (const { path, method } of asking) {
    const described = paths[path.replace('...}', '}')]?.[method.toLowerCase()]
    const told = expect.arrayContaining([expect.objectContaining({ in: 'query' })])
    expect(described, `${method} ${path}`).toMatchObject({ parameters: told })
  }
})

test('who reads may name what they have, and who writes what they saw; only a read is not modified', () => {
  const { paths } = openapi({ title: 'Passport', version: 'v1' })
  expect(paths['/passport/admin/tools/permissions/schema']).toMatchObject({
    get: { parameters: [{ name: 'If-None-Match', in: 'header', required: false }], responses: { 200: {}, 304: {} } },
    put: { parameters: [{ name: 'If-Match', in: 'header', required: false }], responses: { 200: {}, 412: {} } },
  })
  const all = Object.values(paths).flatMap((methods) => Object.entries(methods))
  const unmodified = all.filter(([, told]) => '304' in (told as { responses: object }).responses)
  expect(new Set(unmodified.map(([method]) => method))).toEqual(new Set(['get']))
})

test('the stream of commits is told', () => {
  const { paths } = openapi({ title: 'Passport', version: 'v1' })
  expect(paths['/passport/admin/tools/permissions/watch']?.['get']).toMatchObject({
    security: [{ session: [] }, { client: ['permissions.read'] }],
    parameters: expect.arrayContaining(
      [
        { name: 'from', in: 'query' },
        { name: 'resourceType', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
        { name: 'subjectId', in: 'query' },
        { name: 'Last-Event-ID', in: 'header' },
      ].map((one) => expect.objectContaining(one)),
    ),
    responses: {
      200: { content: { 'text/event-stream': { schema: { required: ['token', 'updates', 'isSchemaChange'] } } } },
    },
  })
})

test('one value may come as text, as a JSON string and as a member', () => {
  const { paths } = openapi({ title: 'Passport', version: 'v1' })
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

test('whatever creates takes a key, from somebody who can be told from others', () => {
  const { paths } = openapi({ title: 'Passport', version: 'v1' })
  const creating = [...endpoints.values()].filter(({ creates }) => creates)
  expect(creating.length).toBeGreaterThan(7)
  const key = expect.objectContaining({
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: expect.objectContaining({ type: 'string', minLength: 1, maxLength: 255 }),
  })
  for (const { path, method, access } of creating) {
    expect({ path, method, access }).toEqual({ path, method: 'POST', access: expect.not.stringMatching('anyone') })
    const described = paths[path]?.['post']
    expect(described, path).toMatchObject({ parameters: expect.arrayContaining([key]) })
    for (const code of Object.keys(idempotencyFaults)) {
      expect(described, path).toMatchObject({ responses: { 409: { description: expect.stringContaining(code) } } })
    }
  }
})

test('what creates nothing takes no key', () => {
  const { paths } = openapi({ title: 'Passport', version: 'v1' })
  const others = [...endpoints.values()].filter(({ creates }) => !creates)
  for (const { path, method } of others) {
    const described = paths[path.replace('...}', '}')]?.[method.toLowerCase()]
    expect(JSON.stringify(described), path).not.toContain('dempotency')
  }
})
