import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join()
const writeScopes = (count: number) => `{${repeat(count, (i) => `s${i}: d`)}}`
const writeSchemes = (schemes: string) => `openapi: 3.1.0\ncomponents: {securitySchemes: {${schemes}}}`
const writeScheme = (scopes: string) => writeSchemes(`o: {type: oauth2, flows: {f: {scopes: ${scopes}}}}`)

/** Returns the number of scopes, or why there are none. */
function tryParse(text: string): number | string {
  const parsed = parseScopes(text)
  return 'scopes' in parsed ? parsed.scopes.length : parsed.refusal
}

describe('scopes of a document', () => {
  test('are those of its OAuth schemes and of its operations', () => {
    const scopes = [
      { name: 'orders.read', description: 'Read orders' },
      { name: 'orders.write', description: 'Write orders' },
      { name: 'orders.list', description: '' },
    ]
    expect(parseScopes(yaml)).toEqual({ scopes })
  })

  test('are read from JSON, and from version 2', () => {
    const document = { swagger: '2.0', securityDefinitions: { a: { type: 'oauth2', scopes: { 'pets:read': 'Pets' } } } }
    expect(parseScopes(JSON.stringify(document))).toEqual({ scopes: [{ name: 'pets:read', description: 'Pets' }] })
  })

  test('are found behind references within the document, and not behind others', () => {
    const document = {
      openapi: '3.1.0',
      components: {
        securitySchemes: {
          a: { $ref: '#/x-schemes/o~1auth' },
          b: { $ref: '#/components/securitySchemes/b' },
          c: { $ref: 'https://other.example/schemes.json#/c' },
          d: { $ref: '#/x-schemes/none' },
        },
        pathItems: { orders: { get: { security: [{ a: ['orders.list'] }] } } },
      },
      'x-schemes': { 'o/auth': { type: 'oauth2', flows: { $ref: '#/x-flows' } } },
      'x-flows': { implicit: { scopes: { $ref: '#/x-%53copes' } } },
      'x-Scopes': { 'orders.read': 'Read' },
      paths: { '/orders': { $ref: '#/components/pathItems/orders' }, '/loop': { $ref: '#/paths/~1loop' } },
    }
    expect(parseScopes(JSON.stringify(document))).toEqual({
      scopes: [
        { name: 'orders.read', description: 'Read' },
        { name: 'orders.list', description: '' },
      ],
    })
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
    ['over 4 MiB of YAML', `openapi: 3.0.0\n#${'x'.repeat(4 * 1024 * 1024)}`, 'openapi-too-large'],
    ['with more than 1,000 scopes', writeScheme(writeScopes(1001)), 'too-many-scopes'],
    ['over 8 MiB of JSON', JSON.stringify({ openapi: 'x'.repeat(8 * 1024 * 1024) }), 'openapi-too-large'],
  ])('of a document %s are refused', ([, text, code]) => {
    expect(parseScopes(text)).toEqual({ refusal: code })
  })

  test('are at most 1,000', () => {
    expect(tryParse(writeScheme(writeScopes(1000)))).toBe(1000)
  })

  test('are read from a document of at most 8 MiB of JSON, or 4 MiB of YAML', () => {
    const pad = (text: string, size: number) => text.replace('…', 'x'.repeat(size - text.length + 1))
    expect(tryParse(pad('{"openapi":"3.0.0","info":"…"}', 8 * 1024 * 1024))).toBe(0)
    expect(tryParse(pad('openapi: 3.0.0\n#…', 4 * 1024 * 1024))).toBe(0)
    expect(tryParse(pad('openapi: 3.0.0\n#…', 4 * 1024 * 1024 + 1))).toBe('openapi-too-large')
    expect(tryParse(pad('{"openapi":"3.0.0","info":"…"}', 8 * 1024 * 1024 + 1))).toBe('openapi-too-large')
  })

  // In less than 100 ms of CPU time for 100 kB, as every body; another test may collect its garbage in one of the runs.
  test.for<[string, string, number | string]>([
    [
      'aliases of aliases',
      [
        `s: &s ${writeScopes(10_000)}`,
        `f: &f {${repeat(45, (i) => `f${i}: {scopes: *s}`)}}`,
        writeSchemes(repeat(45, (i) => `o${i}: {type: oauth2, flows: *f}`)),
      ].join('\n'),
      'too-many-scopes',
    ],
    ['lists in lists', `${writeScheme('{a: A}')}\nx: [${repeat(500, () => '['.repeat(90) + ']'.repeat(90))}]`, 1],
    ['an endless list of lists', `${writeScheme('{a: A}')}\nx: ${'['.repeat(100_000)}`, 'openapi-invalid'],
    ['many empty keys', `${writeScheme('{a: A}')}\nx: [${':,'.repeat(25_000)}]`, 1],
  ])('are found or refused soon in a document with %s', ([, text, expected]) => {
    const parse = () => {
      const before = process.threadCpuUsage()
      const result = tryParse(text)
      const { user, system } = process.threadCpuUsage(before)
      expect(result).toBe(expected)
      return (user + system) / 1000
    }
    expect(Math.min(parse(), parse(), parse())).toBeLessThan(100)
  })

  test('of any JSON are found or refused, without another error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (components, paths, security) => {
        const document = { openapi: '3.0.0', components, paths, security, securityDefinitions: components }
        expect(tryParse(JSON.stringify(document))).toBeDefined()
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
