import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PermissionError } from '../error.ts'
import type { Relationship } from './relationship.ts'
import { parseRelationship, printRelationship } from './relationship-text.ts'

const name = fc.constantFrom('doc', 'org/team', 'a0_z')
const relation = fc.constantFrom('viewer', 'member')
const id = fc.stringMatching(/^[a-zA-Z0-9/_|=+-]{1,12}$/)
const context = fc
  .dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 })
  .map((value) => JSON.parse(JSON.stringify(value)))

const subject = fc.oneof(
  fc.record({ type: name, id: fc.oneof(id, fc.constant('*')) }),
  fc.record({ type: name, id, relation }),
)
const relationship: fc.Arbitrary<Relationship> = fc.record(
  {
    resource: fc.record({ type: name, id }),
    relation,
    subject,
    caveat: fc.oneof(fc.record({ name: fc.constantFrom('tenant', 'a/b') }), fc.record({ name, context })),
    expiresAt: fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
  },
  { requiredKeys: ['resource', 'relation', 'subject'] },
)

describe('a relationship as text', () => {
  it('survives printing and parsing', () => {
    fc.assert(
      fc.property(relationship, (value) => {
        expect(parseRelationship(printRelationship(value))).toEqual(value)
      }),
    )
  })

  it('is rejected with an error for any malformed input', () => {
    const line = fc.tuple(relationship, fc.nat(), fc.string({ maxLength: 2 })).map(([value, at, sign]) => {
      const text = printRelationship(value)
      const place = at % text.length
      return text.slice(0, place) + sign + text.slice(place + 1)
    })
    fc.assert(
      fc.property(fc.oneof(line, fc.string()), (line) => {
        try {
          parseRelationship(line)
        } catch (error) {
          expect(error).toBeInstanceOf(PermissionError)
        }
      }),
    )
  })

  it.each([
    ['doc:one#viewer@user:ada', {}],
    ['doc:one#viewer@user:ada#...', {}],
    ['doc:one#viewer@user:ada[only_friday]', { caveat: { name: 'only_friday' } }],
    ['doc:one#viewer@user:ada[only_friday:{"day":"]}"}]', { caveat: { name: 'only_friday', context: { day: ']}' } } }],
    ['doc:one#viewer@user:ada[expiration:2026-01-01T00:00:00Z]', { expiresAt: 1_767_225_600_000 }],
    ['doc:one#viewer@user:ada[expiration:2026-01-01T01:00:00.0009+01:00]', { expiresAt: 1_767_225_600_000 }],
    [
      'doc:one#viewer@user:ada[a][expiration:2026-01-01T00:00:00.5Z]',
      { caveat: { name: 'a' }, expiresAt: 1_767_225_600_500 },
    ],
  ])('%s is parsed', (line, parts) => {
    const plain = { resource: { type: 'doc', id: 'one' }, relation: 'viewer', subject: { type: 'user', id: 'ada' } }
    expect(parseRelationship(line)).toEqual({ ...plain, ...parts })
  })

  it.each([
    ['', 'malformed-relationship', 'relationship'],
    ['doc:one#viewer', 'malformed-relationship', 'relationship'],
    ['doc:one@user:ada', 'malformed-relationship', 'relationship'],
    ['doc:one#viewer@user:ada[tenant:{day}]', 'malformed-relationship', 'relationship'],
    ['doc:one#viewer@user:ada[expiration:2026-02-30T00:00:00Z]', 'malformed-relationship', 'relationship'],
    ['doc:one#viewer@user:ada[expiration:tomorrow]', 'malformed-relationship', 'relationship'],
    ['Doc:one#viewer@user:ada', 'malformed-type', 'relationship.resource.type'],
    ['doc:#viewer@user:ada', 'malformed-id', 'relationship.resource.id'],
    ['doc:*#viewer@user:ada', 'malformed-id', 'relationship.resource.id'],
    ['doc:one#v@user:ada', 'malformed-relation', 'relationship.relation'],
    ['doc:one#viewer@u:ada', 'malformed-type', 'relationship.subject.type'],
    ['doc:one#viewer@user:a b', 'malformed-id', 'relationship.subject.id'],
    ['doc:one#viewer@user:*#member', 'malformed-id', 'relationship.subject.id'],
    ['doc:one#viewer@user:ada#M', 'malformed-relation', 'relationship.subject.relation'],
    [`doc:${'a'.repeat(1025)}#viewer@user:ada`, 'malformed-id', 'relationship.resource.id'],
  ])('%j is rejected', (line, code, field) => {
    expect(() => parseRelationship(line)).toThrow(expect.objectContaining({ code, field }))
  })
})
