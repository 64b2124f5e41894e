import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Filter, formatFilter, parseFilter, parsePatchPath } from './filter.ts'
import { ScimError } from './scim-error.ts'

const name = fc
  .stringMatching(/^[a-z][a-zA-Z0-9_-]{0,8}$/)
  .filter((text) => !['and', 'or'].includes(text.toLowerCase()))
const path = fc.record(
  { name, sub: name, urn: fc.constant('urn:ietf:params:scim:schemas:core:2.0:User') },
  { requiredKeys: ['name'] },
)
const compare = fc.record({
  kind: fc.constant('compare' as const),
  path,
  operator: fc.constantFrom('eq' as const, 'co' as const, 'sw' as const),
  value: fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer()),
})
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    compare,
    fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), left: tie('filter'), right: tie('filter') }),
    fc.record({ kind: fc.constant('matches' as const), path: fc.record({ name }), filter: tie('filter') }),
  ) as fc.Arbitrary<Filter>,
}))

test('a formatted filter is parsed as itself', () => {
  fc.assert(
    fc.property(filter, (filter) => {
      expect(parseFilter(formatFilter(filter))).toEqual(filter)
    }),
  )
})

test('any text is a filter and a path, or an error of the client', () => {
  const fragment = fc.constantFrom(
    'emails',
    '[',
    ']',
    '(',
    ')',
    ' eq ',
    '"a"',
    ' and ',
    ' or ',
    '.',
    'type',
    'true',
    ' pr',
    '\\',
    '"',
    'urn:a:',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (text) => {
      for (const [parse, scimType] of [
        [parseFilter, 'invalidFilter'],
        [parsePatchPath, 'invalidPath'],
      ] as const)
        try {
          parse(text)
        } catch (error) {
          expect(error).toBeInstanceOf(ScimError)
          expect((error as ScimError).scimType).toBe(scimType)
        }
    }),
  )
})

test.for([
  ['userName Eq "a\\"b"', { kind: 'compare', path: { name: 'userName' }, operator: 'eq', value: 'a"b' }],
  ['active eq True', { kind: 'compare', path: { name: 'active' }, operator: 'eq', value: true }],
  [
    'emails[type eq "work"]',
    {
      kind: 'matches',
      path: { name: 'emails' },
      filter: { kind: 'compare', path: { name: 'type' }, operator: 'eq', value: 'work' },
    },
  ],
] as const)('%s is parsed', ([text, expected]) => {
  expect(parseFilter(text)).toEqual(expected)
})

test('“and” binds closer than “or”', () => {
  const [a, b, c] = ['a eq 1', 'b eq 2', 'c eq 3']
  expect(parseFilter(`${a} or ${b} and ${c}`)).toEqual(parseFilter(`${a} or (${b} and ${c})`))
})

test.for([
  'userName pr',
  'userName ne "a"',
  'not (a eq 1)',
  'meta.created gt "2026"',
  'a eq',
  'a',
  '',
  '(a eq 1',
  'a eq 1)',
])('the filter “%s” is rejected', (text) => {
  expect(() => parseFilter(text)).toThrow(ScimError)
})

test('a filter selects sub-attributes like the path of a PATCH operation', () => {
  for (const condition of ['type eq "work"', 'type eq "work" or primary eq true']) {
    const path = parsePatchPath(`emails[${condition}].value`)
    const filter = parseFilter(`userName eq "a" or emails[${condition}].value sw "b"`)
    expect(filter).toMatchObject({
      right: {
        kind: 'matches',
        path: { name: path.name },
        filter: { kind: 'and', left: path.filter, right: { path: { name: path.sub }, operator: 'sw', value: 'b' } },
      },
    })
    expect(parseFilter(formatFilter(filter))).toEqual(filter)
  }
  for (const text of ['emails[type eq "work"].', 'emails[type eq "work"].value', 'emails.value[type eq "work"]'])
    expect(() => parseFilter(text)).toThrow(ScimError)
  expect(() => parsePatchPath('emails.value[type eq "work"]')).toThrow(ScimError)
})

test('long and deep filters are rejected', () => {
  expect(() => parseFilter(`${'('.repeat(17)}a eq 1${')'.repeat(17)}`)).toThrow('nested')
  expect(() => parseFilter(Array.from({ length: 101 }, () => 'a eq 1').join(' or '))).toThrow('comparisons')
  expect(() => parseFilter(`a eq "${'x'.repeat(5000)}"`)).toThrow('characters')
})

test('paths of PATCH operations have a filter and a sub-attribute', () => {
  expect(parsePatchPath('emails[type eq "work"].value')).toMatchObject({
    name: 'emails',
    sub: 'value',
    filter: { kind: 'compare' },
  })
  expect(parsePatchPath('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager')).toEqual({
    urn: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    name: 'manager',
  })
})
