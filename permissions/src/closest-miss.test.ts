import { expect, test } from 'vitest'
import { closestMiss } from './closest-miss.ts'
import { compileSchema } from './compile.ts'
import { MemoryGraph } from './memory-graph.ts'
import { parseRow, row } from './test-rows.ts'

const schema = compileSchema(`use expiration

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
  permission view = viewer + folder->view - banned
  permission inherited = folder->view
  permission both = viewer & signed
  permission shared = team
  permission locked = guarded
}
`)

const rows = [
  'document:plan#folder@folder:top',
  'folder:top#viewer@group:staff#member',
  'group:staff#member@user:ada',
  'document:plan#banned@user:ada',
  'group:away#member@user:bob',
  'document:two#viewer@user:bob',
  'document:two#banned@group:away#member',
  'document:two#banned@user:bob',
]

test.each([
  ['document:plan#view@user:eve', 'resource', 'add document:plan#viewer@user:eve'],
  ['document:plan#view@user:eve', 'subject', 'add group:staff#member@user:eve'],
  ['document:plan#inherited@user:eve', 'resource', 'add folder:top#viewer@user:eve'],
  ['document:plan#view@user:ada', 'resource', 'remove document:plan#banned@user:ada'],
  ['document:new#view@user:eve', 'resource', 'add document:new#viewer@user:eve'],
  ['document:new#shared@user:bob', 'resource', 'add document:new#team@group:away#member'],
  ['document:new#shared@user:eve', 'resource', undefined],
  ['document:new#locked@user:eve', 'resource', undefined],
  ['document:new#both@user:eve', 'resource', undefined],
  ['document:two#both@user:bob', 'resource', 'add document:two#signed@user:bob'],
  ['document:two#view@user:bob', 'resource', undefined],
  ['document:plan#inherited@user:ada', 'resource', undefined],
] as const)('%s, nearest to the %s: %s', (question, nearest, expected) => {
  const graph = new MemoryGraph()
  for (const text of rows) graph.add(parseRow(text))
  const { resource, relation: permission, subject } = parseRow(question)
  const miss = closestMiss(schema, graph, { resource, permission, subject }, { now: 0, nearest })
  expect(miss && `${miss.operation} ${row(miss.relationship)}`).toBe(expected)
})
