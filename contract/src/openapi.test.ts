import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
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
