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

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join()
const writeScopes = (count: number) => `{${repeat(count, (i) => `s${i}: d`)}}`
const writeSchemes = (schemes: string) => `openapi: 3.1.0\ncomponents: {securitySchemes: {${schemes}}}`
const writeScheme = (scopes: string) => writeSchemes(`o: {type: oauth2, flows: {f: {scopes: ${scopes}}}}`)

/** Returns the number of scopes, or the code of the error. */
function tryParse(text: string): number | string {
  try {
    return parseScopes(text).length
  } catch (error) {
    return (error as Problem).code
  }
}

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
    ['with more than 1,000 scopes', writeScheme(writeScopes(1001)), 'too-many-scopes'],
    ['over 1 MiB of JSON', JSON.stringify({ openapi: 'x'.repeat(1024 * 1024) }), 'openapi-too-large'],
  ])('of a document %s are refused', ([, text, code]) => {
    expect(() => parseScopes(text)).toThrowError(expect.objectContaining({ code }))
  })

  test('are at most 1,000', () => {
    expect(parseScopes(writeScheme(writeScopes(1000)))).toHaveLength(1000)
  })

  test('are read from a document of at most 1 MiB of JSON, or 256 KiB of YAML', () => {
    const pad = (text: string, size: number) => text.replace('…', 'x'.repeat(size - text.length + 1))
    expect(tryParse(pad('{"openapi":"3.0.0","info":"…"}', 1024 * 1024))).toBe(0)
    expect(tryParse(pad('openapi: 3.0.0\n#…', 256 * 1024))).toBe(0)
    expect(tryParse(pad('openapi: 3.0.0\n#…', 256 * 1024 + 1))).toBe('openapi-too-large')
    expect(tryParse(pad('{"openapi":"3.0.0","info":"…"}', 1024 * 1024 + 1))).toBe('openapi-too-large')
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
