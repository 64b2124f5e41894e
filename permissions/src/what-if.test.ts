import { expect, test } from 'vitest'
import { check } from './check.ts'
import { compileSchema } from './compile.ts'
import { MemoryGraph } from './memory-graph.ts'
import { parseRelationship } from './relationship-text.ts'
import { supposed } from './what-if.ts'

const text = `use expiration

caveat least(level int, wanted int) {
  level >= wanted
}

definition user {}

definition team {
  relation member: user
}

definition document {
  relation viewer: user | user:* | team#member | user with least
  relation editor: user | user with expiration
  permission view = viewer + editor
}
`
const rows = [
  'document:a#viewer@user:ann',
  'document:a#viewer@user:*',
  'document:a#viewer@team:red#member',
  'document:a#viewer@user:bob[least:{"wanted":3}]',
  'document:a#editor@user:ann',
  'document:a#editor@user:eve[expiration:2999-01-01T00:00:00Z]',
  'team:red#member@user:cat',
]
const schema = compileSchema(text)

function graphOf(): MemoryGraph {
  const graph = new MemoryGraph()
  for (const row of rows) graph.add(parseRelationship(row))
  return graph
}

test.each([
  ['the same text', text, 0],
  ['no wildcard', text.replace(' | user:*', ''), 1],
  ['no sets', text.replace(' | team#member', ''), 1],
  ['no caveat', text.replace(' | user with least\n', '\n').replace(/caveat[^}]*}/, ''), 1],
  [
    'a caveat whose parameter is of another type',
    text.replace('wanted int', 'wanted string').replace('level >=', 'string(level) >='),
    1,
  ],
  ['a caveat with another expression', text.replace('level >= wanted', 'level > wanted'), 0],
  ['no expiration', text.replace(' | user with expiration', ''), 1],
  ['no editors', text.replace(/ {2}relation editor.*\n/, '').replace(' + editor', ''), 2],
  ['no teams', text.replace(' | team#member', '').replace(/definition team {[^}]*}/, ''), 2],
])('under a schema with %s what does not fit is left out', (_name, other, leftOut) => {
  const graph = graphOf()
  const names = graph.names.size
  const there = supposed(schema, graph, {}, compileSchema(other))
  expect(there.leftOut).toBe(leftOut)
  const question = { resource: { type: 'document', id: 'a' }, permission: 'view' }
  const ask = (id: string, context = {}) =>
    check(there.schema, there.graph, { ...question, subject: { type: 'user', id }, context }, { now: 0 }).permissionship
  expect(ask('ann')).toBe('hasPermission')
  if (_name === 'no wildcard') expect(ask('stranger')).toBe('noPermission')
  // The words of a schema that is only supposed are not kept.
  expect(graph.names.size).toBe(names)
  expect(graph.read({})).toHaveLength(rows.length)
})

test('what is supposed anew under another schema has to fit it, and what goes the one that is', () => {
  const other = text.replace('relation editor', 'relation owner').replace('+ editor', '+ owner')
  const ask = (add: string[], remove: string[]) => () =>
    supposed(
      schema,
      graphOf(),
      { add: add.map(parseRelationship), remove: remove.map(parseRelationship) },
      compileSchema(other),
    )
  expect(ask(['document:a#owner@user:dan'], ['document:a#editor@user:ann'])().leftOut).toBe(2)
  expect(ask(['document:a#editor@user:dan'], [])).toThrow(expect.objectContaining({ field: 'whatIf.add.0.relation' }))
  expect(ask([], ['document:a#owner@user:dan'])).toThrow(expect.objectContaining({ field: 'whatIf.remove.0.relation' }))
})
