import { expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import type { CaveatContext } from '../graph/relationship.ts'
import { lookupResources, lookupSubjects } from '../lookup/lookup.ts'
import { parseRow } from '../test-rows.ts'
import { check } from './check.ts'

function createScenario(text: string, rows: string[]) {
  const schema = compileSchema(text)
  const graph = new MemoryGraph()
  for (const row of rows) graph.add(parseRow(row))
  return {
    checkRow(row: string, context: CaveatContext = {}) {
      const { resource, relation: permission, subject } = parseRow(row)
      const { permissionship, missing } = check(schema, graph, { resource, permission, subject, context }, { now: 0 })
      return [permissionship, ...missing].join(' ')
    },
    resources(resourceType: string, permission: string, id: string, context: CaveatContext = {}) {
      const subject = { type: 'user', id }
      const request = { resourceType, permission, subject, context, limit: 100 }
      const { items } = lookupResources(schema, graph, request, { now: 0 })
      return items.map((item) => `${item.id}${item.permissionship === 'conditional' ? '?' : ''}`)
    },
    subjects(type: string, id: string, permission: string) {
      const request = { resource: { type, id }, permission, subjectType: 'user', limit: 100 }
      return lookupSubjects(schema, graph, request, { now: 0 }).items.map((item) => item.id)
    },
  }
}

test('CVE-2022-21646: lookups respect wildcards in exclusions and intersections', () => {
  const { resources, subjects } = createScenario(
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

test('CVE-2023-35930: lookupResources returns every matching object, up to the limit', () => {
  const rows = Array.from({ length: 500 }, (_, index) => [
    `doc:d${index}#banned@group:g${index % 7}#member`,
    `doc:d${index}#banned@user:ann`,
  ]).flat()
  const { resources } = createScenario(
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

test('CVE-2024-32001: an arrow follows object subjects and the objects of userset subjects', () => {
  const { subjects, checkRow, resources } = createScenario(
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
  expect(checkRow('doc:plan#view@user:bob')).toBe('hasPermission')
  expect(resources('doc', 'view', 'bob')).toEqual(['plan'])
})

test('CVE-2025-49011: two caveated paths that reach the same object are both evaluated', () => {
  const { checkRow, resources } = createScenario(
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
  expect(checkRow('document:budget#read@user:maria', { actual: 'admin' })).toBe('hasPermission')
  expect(checkRow('document:budget#read@user:maria', { actual: 'manager' })).toBe('hasPermission')
  expect(checkRow('document:budget#read@user:maria', { actual: 'guest' })).toBe('noPermission')
  expect(checkRow('document:budget#read@user:maria')).toBe('conditional actual')
  expect(resources('document', 'read', 'maria')).toEqual(['budget?'])
})

test('GHSA-jhg6-6qrx-38mr: every caveated userset of a relation is evaluated', () => {
  const { checkRow, resources } = createScenario(
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
  expect(checkRow('resource:one#view@user:ann', { somefield: 42 })).toBe('hasPermission')
  expect(checkRow('resource:one#view@user:ann')).toBe('conditional somefield')
  expect(resources('resource', 'view', 'ann', { somefield: 42 })).toEqual(['one'])
})

test('GHSA-4vrg-r928-h5vv: a lookup with a context does not affect later checks', () => {
  const { checkRow, resources } = createScenario(
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
  expect(checkRow('document:first#allowed@user:ann')).toBe('conditional somecondition')
  expect(checkRow('document:first#allowed@user:ann', { somecondition: 41 })).toBe('noPermission')
  expect(resources('document', 'allowed', 'ann', { somecondition: 41 })).toEqual([])
})
