import type { Scenario } from './conformance-scenarios.ts'

const schema = `use expiration
caveat on_day(day string, wanted string) {
  day == wanted
}
definition user {}
definition group {
  relation member: user
}
definition document {
  relation viewer: user | group#member
  relation careful: user with on_day
  relation passing: user with expiration
  permission view = viewer + careful + passing
}`

const update = 'updates.0.relationship'
/** The relationships of `document:one` and `document:two`. */
const ofOne = { resourceType: 'document', resourceId: 'one' }
const ofTwo = { resourceType: 'document', resourceId: 'two' }

export const writeScenarios: Scenario[] = [
  {
    name: 'creates, touches and deletes relationships, and rejects invalid ones',
    isAboutStorage: true,
    schema,
    steps: [
      { write: ['document:one#viewer@user:ann'], operation: 'create', works: true },
      { write: ['document:one#viewer@user:ann'], operation: 'create', fails: 'already-exists' },
      { write: ['document:one#viewer@user:ann'], works: true },
      { write: ['document:one#viewer@user:bob'], operation: 'delete', works: true },
      { write: ['document:one#viewer@user:cat', 'document:one#viewer@user:cat'], fails: 'duplicate-update' },
      { write: ['document:one#view@user:ann'], fails: 'write-to-permission', at: `${update}.relation` },
      { write: ['document:one#nothing@user:ann'], fails: 'unknown-relation', at: `${update}.relation` },
      { write: ['nothing:one#viewer@user:ann'], fails: 'unknown-type', at: `${update}.resource.type` },
      { write: ['document:one#viewer@nothing:ann'], fails: 'unknown-type', at: `${update}.subject.type` },
      {
        write: ['document:one#viewer@group:one#nothing'],
        fails: 'unknown-relation',
        at: `${update}.subject.relation`,
      },
      { write: ['document:one#viewer@group:one'], fails: 'subject-not-allowed', at: `${update}.subject` },
      { write: ['document:one#viewer@user:*'], fails: 'subject-not-allowed', at: `${update}.subject` },
      { write: ['document:one#careful@user:ann'], fails: 'caveat-required', at: `${update}.caveat` },
      { write: ['document:one#passing@user:ann'], fails: ['expiration-required', 'subject-not-allowed'] },
      { write: ['document:one#careful@user:ann[on_day:{"day":5}]'], fails: 'context-type' },
      { write: ['document:one#careful@user:ann[on_day:{"other":"x"}]'], fails: 'context-type' },
      { write: ['document:one#viewer@user:dan', 'document:one#viewer@group:one'], fails: 'subject-not-allowed' },
      { read: { resourceType: 'document' }, are: ['document:one#viewer@user:ann'] },
      {
        write: Array.from({ length: 1001 }, (_, index) => `document:one#viewer@user:u${index}`),
        fails: 'too-many',
        at: 'updates',
      },
      {
        write: [`document:one#careful@user:ann[on_day:{"day":"${'x'.repeat(25_001)}"}]`],
        fails: 'context-too-large',
      },
    ],
  },
  {
    name: 'a write fails if a precondition fails or is invalid',
    isAboutStorage: true,
    schema,
    relationships: ['document:one#viewer@user:ann'],
    steps: [
      { write: ['document:one#viewer@user:bob'], must: ofTwo, fails: 'precondition-failed' },
      { write: ['document:one#viewer@user:bob'], mustNot: ofOne, fails: 'precondition-failed' },
      { write: ['document:one#viewer@user:bob'], must: ofOne, mustNot: ofTwo, works: true },
      {
        write: ['document:one#viewer@user:cat'],
        mustNot: { resourceType: 'nothing' },
        fails: 'unknown-type',
        at: 'preconditions.0.filter.resourceType',
      },
      {
        write: ['document:one#viewer@user:cat'],
        mustNot: { resourceType: 'document', relation: 'nothing' },
        fails: 'unknown-relation',
        at: 'preconditions.0.filter.relation',
      },
      {
        write: ['document:one#viewer@user:cat'],
        mustNot: { resourceType: 'document', resourceId: 'o e' },
        fails: 'malformed-id',
        at: 'preconditions.0.filter.resourceId',
      },
      { write: ['document:one#viewer@user:cat'], must: {}, fails: 'filter-invalid', at: 'preconditions.0.filter' },
      { read: { subjectType: 'user', subjectId: 'bob' }, are: ['document:one#viewer@user:bob'] },
    ],
  },
  {
    name: 'reads by filter, including by id prefix, without expired relationships',
    schema,
    relationships: [
      'document:one#viewer@user:ann',
      'document:two#viewer@group:all#member',
      'document:two#passing@user:bob[expiration:2001-01-01T00:00:00Z]',
      'document:two#passing@user:cat[expiration:2999-01-01T00:00:00Z]',
    ],
    steps: [
      { read: { resourceType: 'document', resourceIdPrefix: 'o' }, are: ['document:one#viewer@user:ann'] },
      {
        read: { resourceType: 'document', relation: 'viewer', subjectType: 'group', subjectRelation: 'member' },
        are: ['document:two#viewer@group:all#member'],
      },
      { read: { resourceType: 'document', subjectType: 'group', subjectRelation: '' }, are: [] },
      {
        read: { resourceType: 'document', relation: 'passing' },
        are: ['document:two#passing@user:cat[expiration:2999-01-01T00:00:00Z]'],
      },
      { read: { resourceType: 'document', resourceId: 'o e' }, fails: 'malformed-id', at: 'filter.resourceId' },
      {
        read: { resourceType: 'document', resourceIdPrefix: 'o ' },
        fails: 'malformed-id',
        at: 'filter.resourceIdPrefix',
      },
      {
        read: { resourceType: 'document', subjectType: 'user', subjectId: 'a b' },
        fails: 'malformed-id',
        at: 'filter.subjectId',
      },
      { read: { resourceType: 'document', subjectType: 'user', subjectId: '*' }, are: [] },
      { read: { resourceType: 'nothing' }, fails: 'unknown-type', at: 'filter.resourceType' },
      { read: { resourceType: 'document', relation: 'nothing' }, fails: 'unknown-relation', at: 'filter.relation' },
      { check: 'document:two#view@user:bob', is: 'no' },
      { check: 'document:two#view@user:cat', is: 'yes' },
    ],
  },
  {
    name: 'deletes by filter, with a limit',
    isAboutStorage: true,
    schema,
    relationships: ['document:one#viewer@user:ann', 'document:one#viewer@user:bob', 'document:two#viewer@user:ann'],
    steps: [
      { erase: ofOne, limit: 1, deleted: 1, isComplete: false },
      { erase: ofOne, deleted: 1, isComplete: true },
      { erase: {}, fails: 'filter-invalid', at: 'filter' },
      { erase: { resourceType: 'nothing' }, fails: 'unknown-type', at: 'filter.resourceType' },
      { erase: { resourceType: 'document', relation: 'nothing' }, fails: 'unknown-relation', at: 'filter.relation' },
      { read: { resourceType: 'document' }, are: ['document:two#viewer@user:ann'] },
    ],
  },
  {
    name: 'a schema is rejected if stored relationships could not be written under it',
    isAboutStorage: true,
    schema: createSchema({}),
    relationships: ['document:one#viewer@user:ann', 'document:one#careful@user:bob[kept_day:{"wanted":"fri"}]'],
    steps: [
      // A parameter with stored values was retyped or removed.
      { schema: createSchema({ caveat: '(day int, wanted int) {\n  day == wanted\n}' }), fails: 'schema-in-use' },
      { schema: createSchema({ caveat: '(day string) {\n  day == "fri"\n}' }), fails: 'schema-in-use' },
      // The relation now requires a caveat, an expiration or another caveat.
      { schema: createSchema({ viewer: 'user with kept_day' }), fails: 'schema-in-use' },
      { schema: createSchema({ viewer: 'user with expiration' }), fails: 'schema-in-use' },
      { schema: createSchema({ careful: 'user with kept_other' }), fails: 'schema-in-use' },
      { schema: createSchema({ careful: 'user with kept_day and expiration' }), fails: 'schema-in-use' },
      // Additions never conflict.
      { schema: createSchema({ viewer: 'user | user with kept_day' }), works: true },
      {
        schema: createSchema({
          caveat: '(day string, wanted string, more string) {\n  day == wanted || day == more\n}',
        }),
        works: true,
      },
      { check: 'document:one#view@user:bob', context: { day: 'fri', more: 'sat' }, is: 'yes' },
      { erase: { resourceType: 'document', relation: 'viewer' }, deleted: 1, isComplete: true },
      {
        schema: createSchema({
          caveat: '(day string, wanted string, more string) {\n  day == wanted || day == more\n}',
          viewer: 'user with kept_day',
        }),
        works: true,
      },
    ],
  },
]

/** Creates a schema with the given parts. */
function createSchema({
  caveat = '(day string, wanted string) {\n  day == wanted\n}',
  viewer = 'user',
  careful = 'user with kept_day',
}) {
  return `use expiration
caveat kept_day${caveat}
caveat kept_other(on bool) {
  on
}
definition user {}
definition document {
  relation viewer: ${viewer}
  relation careful: ${careful}
  permission view = viewer + careful
}`
}
