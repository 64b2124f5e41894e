import { expect, test } from 'vitest'
import { check } from './check.ts'
import { compileSchema } from './compile.ts'
import { lookupResources } from './lookup-resources.ts'
import { lookupSubjects } from './lookup-subjects.ts'
import { MemoryGraph } from './memory-graph.ts'
import type { CaveatContext } from './relationship.ts'
import { parseRow } from './test-rows.ts'

function world(text: string, rows: string[]) {
  const schema = compileSchema(text)
  const graph = new MemoryGraph()
  for (const row of rows) graph.add(parseRow(row))
  return {
    ask(question: string, context: CaveatContext = {}) {
      const { resource, relation: permission, subject } = parseRow(question)
      const { permissionship, missing } = check(schema, graph, { resource, permission, subject, context }, { now: 0 })
      return [permissionship, ...missing].join(' ')
    },
    resources(resourceType: string, permission: string, id: string, context: CaveatContext = {}) {
      const subject = { type: 'user', id }
      const question = { resourceType, permission, subject, context, limit: 100 }
      const { items } = lookupResources(schema, graph, question, { now: 0 })
      return items.map((item) => `${item.id}${item.permissionship === 'conditional' ? '?' : ''}`)
    },
    subjects(type: string, id: string, permission: string) {
      const question = { resource: { type, id }, permission, subjectType: 'user', limit: 100 }
      return lookupSubjects(schema, graph, question, { now: 0 }).items.map((item) => item.id)
    },
  }
}

test('CVE-2022-21646: lookups heed a wildcard that is subtracted or intersected', () => {
  const { resources, subjects } = world(
    `definition user {}

definition doc {
  relation viewer: user
  relation banned: user:*
  relation member: user:*
  permission minus = viewer - banned
  permission both = viewer & member
}
`,
    ['doc:one#viewer@user:ann', 'doc:one#banned@user:*', 'doc:two#viewer@user:ann', 'doc:two#member@user:*'],
  )
  expect(resources('doc', 'minus', 'ann')).toEqual(['two'])
  expect(resources('doc', 'both', 'ann')).toEqual(['two'])
  expect(subjects('doc', 'one', 'minus')).toEqual([])
  expect(subjects('doc', 'two', 'both')).toEqual(['ann'])
})

test('CVE-2023-35930: lookupResources of who is banned leaves no banned one out', () => {
  const rows = Array.from({ length: 500 }, (_, index) => [
    `doc:d${index}#banned@group:g${index % 7}#member`,
    `doc:d${index}#banned@user:ann`,
  ]).flat()
  const { resources } = world(
    `definition user {}

definition group {
  relation member: user
}

definition doc {
  relation banned: user | group#member
  permission blocked = banned
}
`,
    [...rows, 'group:g0#member@user:ann', 'group:g1#member@user:ann', 'group:g3#member@user:bob'],
  )
  expect(resources('doc', 'blocked', 'ann')).toHaveLength(100)
  expect(resources('doc', 'blocked', 'bob')).toHaveLength(Math.min(100, Math.ceil(497 / 7)))
})

test('CVE-2024-32001: an arrow goes by objects that stand there themselves and by those of sets', () => {
  const { subjects, ask, resources } = world(
    `definition user {}

definition folder {
  relation parent: folder
  relation viewer: user
  permission view = viewer
}

definition doc {
  relation folder: folder | folder#parent
  permission view = folder->view
}
`,
    [
      'doc:plan#folder@folder:one',
      'doc:plan#folder@folder:two#parent',
      'folder:one#viewer@user:ann',
      'folder:two#viewer@user:bob',
    ],
  )
  expect(subjects('doc', 'plan', 'view')).toEqual(['ann', 'bob'])
  expect(ask('doc:plan#view@user:bob')).toBe('hasPermission')
  expect(resources('doc', 'view', 'bob')).toEqual(['plan'])
})

test('CVE-2025-49011: two caveated ways that meet are both gone', () => {
  const { ask, resources } = world(
    `caveat equals(actual string, required string) {
  actual == required
}

definition user {}

definition office {
  relation parent: office
  relation manager: user
  permission read = manager + parent->read
}

definition group {
  relation parent: office
  permission read = parent->read
}

definition document {
  relation owner: group with equals
  permission read = owner->read
}
`,
    [
      'office:headoffice#manager@user:maria',
      'office:branch1#parent@office:headoffice',
      'group:admins#parent@office:branch1',
      'group:managers#parent@office:headoffice',
      'document:budget#owner@group:admins[equals:{"required":"admin"}]',
      'document:budget#owner@group:managers[equals:{"required":"manager"}]',
    ],
  )
  expect(ask('document:budget#read@user:maria', { actual: 'admin' })).toBe('hasPermission')
  expect(ask('document:budget#read@user:maria', { actual: 'manager' })).toBe('hasPermission')
  expect(ask('document:budget#read@user:maria', { actual: 'guest' })).toBe('noPermission')
  expect(ask('document:budget#read@user:maria')).toBe('conditional actual')
  expect(resources('document', 'read', 'maria')).toEqual(['budget?'])
})

test('GHSA-jhg6-6qrx-38mr: several caveated groups in one relation each count', () => {
  const { ask, resources } = world(
    `caveat somecaveat(somefield int) {
  somefield == 42
}

definition user {}

definition group {
  relation member: user
}

definition resource {
  relation viewer: group#member with somecaveat
  permission view = viewer
}
`,
    [
      'resource:one#viewer@group:first#member[somecaveat:{"somefield":1}]',
      'resource:one#viewer@group:second#member[somecaveat]',
      'resource:one#viewer@group:third#member[somecaveat:{"somefield":2}]',
      'group:first#member@user:ann',
      'group:second#member@user:ann',
      'group:third#member@user:ann',
    ],
  )
  expect(ask('resource:one#view@user:ann', { somefield: 42 })).toBe('hasPermission')
  expect(ask('resource:one#view@user:ann')).toBe('conditional somefield')
  expect(resources('resource', 'view', 'ann', { somefield: 42 })).toEqual(['one'])
})

test('GHSA-4vrg-r928-h5vv: a lookup with a context leaves nothing behind for the checks after it', () => {
  const { ask, resources } = world(
    `caveat some_caveat(somecondition int) {
  somecondition == 42
}

definition user {}

definition document {
  relation reader: user | user with some_caveat
  relation writer: user
  relation banned: user
  permission allowed = reader & writer - banned
}
`,
    ['document:first#reader@user:ann[some_caveat]', 'document:first#writer@user:ann'],
  )
  expect(resources('document', 'allowed', 'ann', { somecondition: 42 })).toEqual(['first'])
  expect(ask('document:first#allowed@user:ann')).toBe('conditional somecondition')
  expect(ask('document:first#allowed@user:ann', { somecondition: 41 })).toBe('noPermission')
  expect(resources('document', 'allowed', 'ann', { somecondition: 41 })).toEqual([])
})
