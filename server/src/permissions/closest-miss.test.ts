import { printRelationship, toExactFilter } from '@passport/permissions'
import { beforeAll, expect, test } from 'vitest'
import { findMisses } from './closest-miss.ts'
import type { EmbeddedEngine } from './engine.ts'
import { parseCheck, parseUpdates, startEngine } from './test-engines.ts'

const schema = `use expiration

caveat one(a int) {
  a == 1
}

definition user {}

definition group {
  relation member: user
}

definition folder {
  relation viewer: user | group#member
  permission view = viewer
}

definition document {
  relation folder: folder
  relation viewer: user | group#member
  relation team: group#member
  relation guarded: user with one | user with expiration
  relation banned: user | group#member
  relation signed: user
  relation open: user:*
  relation barred: user | user with one
  permission view = viewer + folder->view - banned
  permission inherited = folder->view
  permission every = folder.all(view)
  permission both = viewer & signed
  permission shared = team
  permission locked = guarded
  permission public = open
  permission entry = viewer - barred
}`

let engine: EmbeddedEngine
beforeAll(async () => {
  engine = (await startEngine(schema)).engine
  await engine.writeRelationships(
    parseUpdates(
      '+document:plan#folder@folder:top',
      '+folder:top#viewer@group:staff#member',
      '+group:staff#member@user:ada',
      '+document:plan#banned@user:ada',
      '+group:away#member@user:bob',
      '+folder:own#viewer@user:bob',
      '+document:two#viewer@user:bob',
      '+document:two#banned@group:away#member',
      '+document:two#banned@user:bob',
      '+document:bar#viewer@user:bob',
      '+document:bar#barred@user:bob',
      '+document:many#folder@folder:own',
      '+document:many#folder@folder:top',
    ),
  )
})

test.each([
  [
    'document:plan#view@user:eve',
    [
      'add document:plan#viewer@user:eve',
      // On the far side of the arrow, and of the userset there.
      'add folder:top#viewer@user:eve',
      'add group:staff#member@user:eve',
    ],
  ],
  ['document:plan#inherited@user:eve', ['add folder:top#viewer@user:eve', 'add group:staff#member@user:eve']],
  [
    'document:plan#inherited@user:bob',
    [
      // The arrow itself, to a folder that bob can view already.
      'add document:plan#folder@folder:own',
      'add folder:top#viewer@user:bob',
      // A userset that bob is in already.
      'add folder:top#viewer@group:away#member',
      'add group:staff#member@user:bob',
    ],
  ],
  ['document:new#inherited@user:bob', ['add document:new#folder@folder:own']],
  ['document:new#inherited@user:eve', []],
  ['document:new#every@user:bob', ['add document:new#folder@folder:own']],
  ['document:many#every@user:bob', expect.arrayContaining(['add folder:top#viewer@user:bob'])],
  ['document:plan#view@user:ada', ['remove document:plan#banned@user:ada']],
  ['document:new#shared@user:bob', ['add document:new#team@group:away#member']],
  ['document:new#shared@user:eve', []],
  [
    'document:new#locked@user:eve',
    [
      'add document:new#guarded@user:eve[one]',
      expect.stringMatching(/^add document:new#guarded@user:eve\[expiration:/),
    ],
  ],
  ['document:new#public@user:eve', ['add document:new#open@user:*']],
  // Not the other way round: the relationship that excludes bob would be lost.
  ['document:bar#entry@user:bob', ['remove document:bar#barred@user:bob', 'add document:bar#barred@user:bob[one]']],
  ['document:new#both@user:eve', []],
  ['document:two#both@user:bob', ['add document:two#signed@user:bob']],
  ['document:two#view@user:bob', []],
  ['document:plan#inherited@user:ada', expect.arrayContaining(['remove document:plan#folder@folder:top'])],
] as const)('finds the closest misses of %s', async (text, expected) => {
  const request = parseCheck(text)
  const { result, misses } = await findMisses(engine, request)
  expect(misses.map(({ change, relationship }) => `${change} ${printRelationship(relationship)}`)).toEqual(expected)
  for (const { change, relationship, verdict } of misses) {
    expect(verdict.permissionship).not.toBe(result.permissionship)
    // Writing the change gives the predicted result.
    const before = (await engine.readRelationships(toExactFilter(relationship), { limit: 1 })).items
    await engine.writeRelationships([{ operation: change === 'add' ? 'touch' : 'delete', relationship }])
    expect(await engine.check(request)).toMatchObject(verdict)
    await engine.writeRelationships([{ operation: 'delete', relationship }])
    await engine.writeRelationships(before.map((relationship) => ({ operation: 'create', relationship })))
  }
})

test('finds misses under an assumed schema, with further changes on top of it', async () => {
  const withoutUsersets = schema.replace(
    'viewer: user | group#member\n  permission view = viewer\n',
    'viewer: user\n  permission view = viewer\n',
  )
  const hypothetical = engine.whatIf({
    schema: withoutUsersets,
    add: parseUpdates('+folder:top#viewer@user:eve').map(({ relationship }) => relationship),
  })
  // The relationship to a userset is ignored.
  const { result, misses } = await findMisses(hypothetical, parseCheck('document:plan#inherited@user:ada'))
  expect(result.permissionship).toBe('noPermission')
  expect(misses.map(({ change, relationship }) => `${change} ${printRelationship(relationship)}`)).toEqual([
    'add folder:top#viewer@user:ada',
  ])
  // A tried change replaces the same relationship assumed before.
  const { misses: lost } = await findMisses(hypothetical, parseCheck('document:plan#inherited@user:eve'))
  expect(lost.map(({ change, relationship }) => `${change} ${printRelationship(relationship)}`)).toContain(
    'remove folder:top#viewer@user:eve',
  )
})
