import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Omissions } from './omissions.ts'
import { applyPatch, readOperations } from './patch.ts'
import { userType } from './schema.ts'
import { ScimError } from './scim-error.ts'
import { type Resource, readResource } from './values.ts'

// Requests as Microsoft Entra and Okta document them, with their effects.

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const mira: Resource = {
  userName: 'mira@meridian.example',
  active: true,
  name: { givenName: 'Mira', familyName: 'Olsen' },
  emails: [{ value: 'mira@meridian.example', type: 'work', primary: true }],
}
const work = { value: 'new@meridian.example', type: 'work', primary: true }

const apply = (operations: object[], omissions = new Omissions()) =>
  applyPatch(userType, mira, readOperations({ Operations: operations }), omissions)

interface Case {
  what: string
  operations: object[]
  effect: object
}

const cases: Case[] = [
  {
    what: 'Entra disables by a text',
    operations: [{ op: 'Replace', path: 'active', value: 'False' }],
    effect: { active: false },
  },
  {
    what: 'Entra enables by a text',
    operations: [{ op: 'Add', path: 'active', value: 'True' }],
    effect: { active: true },
  },
  {
    what: 'Entra replaces the work address by a filtered path',
    operations: [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@meridian.example' }],
    effect: { emails: [work] },
  },
  {
    what: 'Entra adds a phone number to a user without one',
    operations: [{ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' }],
    effect: { phoneNumbers: [{ type: 'mobile', value: '+1 555' }] },
  },
  {
    what: 'Entra replaces several attributes without a path, with dots in their names',
    operations: [
      { op: 'replace', value: { 'name.givenName': 'Mia', title: 'Lead', [`${enterprise}:department`]: 'Sales' } },
    ],
    effect: { name: { givenName: 'Mia', familyName: 'Olsen' }, title: 'Lead', [enterprise]: { department: 'Sales' } },
  },
  {
    what: 'Entra adds the manager by their id alone',
    operations: [{ op: 'Add', path: `${enterprise}:manager`, value: '42' }],
    effect: { [enterprise]: { manager: { value: '42' } } },
  },
  {
    what: 'Entra removes an attribute',
    operations: [{ op: 'Remove', path: 'name.familyName' }],
    effect: { name: { givenName: 'Mira' } },
  },
  {
    what: 'Okta disables without a path',
    operations: [{ op: 'replace', value: { active: false } }],
    effect: { active: false },
  },
  {
    what: 'Okta replaces an extension as a whole object',
    operations: [{ op: 'replace', value: { [enterprise]: { Department: 'Sales', unknown: 1 } } }],
    effect: { [enterprise]: { department: 'Sales' } },
  },
  {
    what: 'a new primary address replaces the former one',
    operations: [
      { op: 'add', path: 'emails', value: [{ value: 'b@meridian.example', type: 'home', primary: 'true' }] },
    ],
    effect: {
      emails: [
        { value: 'mira@meridian.example', type: 'work', primary: false },
        { value: 'b@meridian.example', type: 'home', primary: true },
      ],
    },
  },
  {
    what: 'an equal value is added once',
    operations: [{ op: 'add', path: 'emails', value: mira['emails'] }],
    effect: {},
  },
  {
    what: 'values are removed by a filter, and by their value',
    operations: [
      { op: 'add', path: 'emails', value: [{ value: 'b@meridian.example' }, { value: 'c@meridian.example' }] },
      { op: 'remove', path: 'emails[value eq "b@meridian.example"]' },
      { op: 'Remove', path: 'emails', value: [{ value: 'c@meridian.example' }] },
    ],
    effect: {},
  },
  ...[[], null, '', {}, [{}], [null], [{ value: 'other@meridian.example' }]].map((value) => ({
    what: `removing ${JSON.stringify(value)} from a list removes nothing`,
    operations: [
      { op: 'Remove', path: 'emails', value },
      { op: 'Remove', path: 'emails.value', value },
    ],
    effect: {},
  })),
  ...[null, undefined, {}, [{}], [null]].map((value) => ({
    what: `replacing a list by ${JSON.stringify(value)} changes nothing`,
    operations: [
      { op: 'Replace', path: 'emails', value },
      { op: 'Replace', path: 'emails.value', value: value ?? null },
    ],
    effect: {},
  })),
  ...[{ a: 1 }, { value: [1, 2] }, 'x'.repeat(20_000), 'a\u0000', '\ud800', 2 ** 63].map((value) => ({
    what: `a value that is no text changes nothing: ${JSON.stringify(value).slice(0, 20)}`,
    operations: [
      { op: 'replace', path: 'userName', value },
      { op: 'replace', path: 'name.givenName', value },
      { op: 'replace', path: 'emails[type eq "work"].value', value },
      { op: 'add', path: 'title', value },
      { op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value },
      { op: 'replace', value: { userName: value, emails: { type: value }, [enterprise]: { manager: value } } },
    ],
    effect: {},
  })),
  {
    what: 'a removal without a value, and a replacement by an empty list, remove all values',
    operations: [
      { op: 'remove', path: 'emails' },
      { op: 'add', path: 'phoneNumbers', value: '1' },
      { op: 'replace', path: 'phoneNumbers', value: [] },
    ],
    effect: { emails: undefined },
  },
  { what: 'null removes', operations: [{ op: 'replace', path: 'name', value: null }], effect: { name: undefined } },
  {
    what: 'roles, passwords, unknown and read-only attributes are ignored',
    operations: [
      { op: 'add', path: 'roles', value: [{ value: 'Passport.Admin' }] },
      { op: 'replace', path: 'password', value: 'secret' },
      { op: 'add', path: 'shoeSize', value: 42 },
      { op: 'add', path: 'groups', value: [{ value: 'admins' }] },
      { op: 'replace', value: { id: 'x', meta: {}, roles: [] } },
    ],
    effect: {},
  },
]

test.for(cases)('$what', ({ operations, effect }) => {
  const patched = apply(operations)
  expect(patched).toEqual(JSON.parse(JSON.stringify({ ...mira, ...effect })))
})

test.for([
  ['noTarget', { op: 'remove' }],
  ['noTarget', { op: 'replace', path: 'emails[type co "x"].value', value: 'a@b.example' }],
  ['invalidPath', { op: 'add', path: 'emails[', value: 1 }],
  ['invalidPath', { op: 'add', path: 'title[value eq "x"]', value: 1 }],
  ['invalidValue', { op: 'add', path: 'active', value: 'maybe' }],
  ['mutability', { op: 'remove', path: 'userName' }],
  ['invalidSyntax', { op: 'move', path: 'title' }],
] as const)('%s: %o', ([scimType, operation]) => {
  expect(() => apply([operation])).toThrow(expect.objectContaining({ status: 400, scimType }))
})

test('any operations give a readable resource, or an error of the client', () => {
  const path = fc.constantFrom(
    'title',
    'emails',
    'emails[type eq "work"]',
    'emails[type eq "work"].value',
    'name',
    'name.givenName',
    'active',
    `${enterprise}:manager`,
    enterprise,
    'groups',
    'nothing',
  )
  const operation = fc.record(
    { op: fc.constantFrom('Add', 'replace', 'REMOVE'), path, value: fc.jsonValue({ maxDepth: 3 }) },
    { requiredKeys: ['op'] },
  )
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 5 }), (operations) => {
      const before = structuredClone(mira)
      try {
        const patched = apply(operations)
        expect(readResource(userType, patched, new Omissions())).toEqual(patched)
        expect(apply(operations)).toEqual(patched)
      } catch (error) {
        expect(error).toBeInstanceOf(ScimError)
      }
      expect(mira).toEqual(before)
    }),
  )
})

const phones = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, index) => ({ value: `${prefix}${index}`, type: 'work' }))
/** A filter with 90 comparisons, which only the last text matches. */
const longFilter = [...Array(90).fill('value co "y"'), 'value eq "99"'].join(' or ')

test('an attribute gets at most 100 values, and the log says so', () => {
  const omissions = new Omissions()
  const add = { op: 'add', path: 'phoneNumbers', value: phones(60) }
  const { phoneNumbers } = apply([add, { ...add, value: phones(60, '+') }], omissions)
  expect(phoneNumbers).toEqual([...phones(60), ...phones(40, '+')])
  expect(omissions.toNotes()).toEqual(['Not stored: phoneNumbers (at most 100 values are stored).'])
})

test('1,000 operations, or attributes of operations without a path, are the most of a request', () => {
  const value = Object.fromEntries(phones(501).map(({ value }) => [`phoneNumbers[type eq "${value}"].value`, value]))
  const add = { op: 'add', value }
  expect(() => apply([add])).not.toThrow()
  expect(() => apply([add, add])).toThrow('more than 1000 operations')
  const title = { op: 'replace', path: 'title', value: 'Lead' }
  expect(() => apply(Array(1000).fill(title))).not.toThrow()
  expect(() => apply(Array(1001).fill(title))).toThrow('more than 1000 operations')
})

test('a request costs no more than its size', () => {
  const before = process.threadCpuUsage()
  for (const [count, operation] of [
    [100, (index: number) => ({ op: 'add', path: 'phoneNumbers', value: phones(100, `${index}.`) })],
    [500, () => ({ op: 'remove', path: 'addresses', value: phones(100) })],
    [500, () => ({ op: 'replace', path: 'phoneNumbers[type eq "work"]', value: phones(100) })],
  ] as const) {
    const resource = { ...mira, phoneNumbers: phones(100), addresses: phones(100) }
    const operations = readOperations({ Operations: Array.from({ length: count }, (_, index) => operation(index)) })
    applyPatch(userType, resource, operations, new Omissions())
  }
  // The first one took 10 s, and 25 times as long for five times as many.
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1_500)
  const filtered = { op: 'replace', path: `phoneNumbers[${longFilter}].type`, value: 'home' }
  const long = { ...mira, phoneNumbers: phones(100) }
  const apply = (count: number) =>
    applyPatch(userType, long, readOperations({ Operations: Array(count).fill(filtered) }), new Omissions())
  expect(() => apply(10)).not.toThrow()
  expect(() => apply(11)).toThrow('more than 1000 comparisons')
})
