import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../http/problem.ts'
import { compareScopes, parseScopes } from './import-scopes.ts'

const yaml = `
openapi: 3.1.0
components:
  securitySchemes:
    oauth:
      type: oauth2
      flows:
        authorizationCode: { scopes: { orders.read: Read orders, openid: Sign in } }
        clientCredentials: { scopes: { orders.write: "Write orders\\nand more" } }
    oidc: { type: openIdConnect, openIdConnectUrl: https://id.example }
    key: { type: apiKey, name: x, in: header }
paths:
  /orders:
    get: { security: [ { oidc: [orders.list, orders.read] } ] }
    post: { security: [ { key: [not-a-scope] } ] }
`

describe('scopes of a document', () => {
  test('are those of its OAuth schemes and of its operations', () => {
    expect(parseScopes(yaml)).toEqual([
      { name: 'orders.read', description: 'Read orders' },
      { name: 'orders.write', description: 'Write orders' },
      { name: 'orders.list', description: '' },
    ])
  })

  test('are read from JSON, and from version 2', () => {
    const document = { swagger: '2.0', securityDefinitions: { a: { type: 'oauth2', scopes: { 'pets:read': 'Pets' } } } }
    expect(parseScopes(JSON.stringify(document))).toEqual([{ name: 'pets:read', description: 'Pets' }])
  })

  test.for<[string, string, string]>([
    ['that is no YAML', 'openapi: [', 'openapi-invalid'],
    ['that is broken JSON', '{"openapi": ', 'openapi-invalid'],
    ['of another kind', 'name: x', 'openapi-invalid'],
    [
      'that expands without end',
      `openapi: 3.0.0\na: &a [x]\n${'b: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n'.repeat(1)}c: [${'*b,'.repeat(99)}*b]\nd: [${'*b,'.repeat(99)}*b]`,
      'openapi-invalid',
    ],
    ['over 256 KiB of YAML', `openapi: 3.0.0\n#${'x'.repeat(256 * 1024)}`, 'openapi-too-large'],
    ['over 1 MiB of JSON', JSON.stringify({ openapi: 'x'.repeat(1024 * 1024) }), 'openapi-too-large'],
  ])('of a document %s are refused', ([, text, code]) => {
    expect(() => parseScopes(text)).toThrowError(expect.objectContaining({ code }))
  })

  test('of any JSON are found or refused, without another error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (components, paths, security) => {
        try {
          const text = JSON.stringify({
            openapi: '3.0.0',
            components,
            paths,
            security,
            securityDefinitions: components,
          })
          expect(Array.isArray(parseScopes(text))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
        }
      }),
    )
  })
})

test('an import adds, changes, keeps and rejects scopes', () => {
  const scope = (name: string, description: string) => ({ name, description, emphasize: true })
  const current = { name: 'orders', scopes: [scope('same', 'Same'), scope('old', 'Old'), scope('kept', 'Kept')] }
  const documented = [
    { name: 'same', description: 'Same' },
    { name: 'old', description: 'New' },
    { name: 'kept', description: '' },
    { name: 'orders', description: 'The API' },
    { name: 'added', description: 'Added' },
    { name: 'taken', description: '' },
    { name: 'Not Valid', description: '' },
    { name: 'passport.admin', description: '' },
  ]
  expect(compareScopes(current, documented, new Set(['taken']))).toEqual({
    added: [{ name: 'added', description: 'Added', emphasize: false }],
    changed: [{ name: 'old', from: 'Old', to: 'New' }],
    unchanged: ['same', 'kept', 'orders'],
    rejected: [
      { name: 'taken', reason: 'Another API has this name or scope.' },
      { name: 'Not Valid', reason: expect.stringContaining('letters a to z') },
      { name: 'passport.admin', reason: expect.stringContaining('reserved') },
    ],
  })
})
