import { expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { check } from '../evaluate/check.ts'
import { MemoryGraph } from './memory-graph.ts'
import { parseRelationship } from './relationship-text.ts'
import { applyWhatIf } from './what-if.ts'

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

function createGraph(): MemoryGraph {
  const graph = new MemoryGraph()
  for (const row of rows) graph.add(parseRelationship(row))
  return graph
}

test.each([
  ['the same text', text, 0],
  ['no wildcard', text.replace(' | user:*', ''), 1],
  ['no usersets', text.replace(' | team#member', ''), 1],
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
])(
  'a hypothetical schema with %s ignores the relationships that it does not allow',
  (_name, hypotheticalText, leftOut) => {
    const graph = createGraph()
    const names = graph.names.size
    const hypothetical = applyWhatIf(schema, graph, {}, compileSchema(hypotheticalText))
    expect(hypothetical.leftOut).toBe(leftOut)
    const request = { resource: { type: 'document', id: 'a' }, permission: 'view' }
    const permissionshipOf = (id: string, context = {}) =>
      check(hypothetical.schema, hypothetical.graph, { ...request, subject: { type: 'user', id }, context }, { now: 0 })
        .permissionship
    expect(permissionshipOf('ann')).toBe('hasPermission')
    if (_name === 'no wildcard') expect(permissionshipOf('stranger')).toBe('noPermission')
    // The graph does not keep the names of a hypothetical schema.
    expect(graph.names.size).toBe(names)
    expect(graph.read({})).toHaveLength(rows.length)
  },
)

test('added relationships must be valid under the hypothetical schema, removed ones under the current schema', () => {
  const hypotheticalText = text.replace('relation editor', 'relation owner').replace('+ editor', '+ owner')
  const apply = (add: string[], remove: string[]) => () =>
    applyWhatIf(
      schema,
      createGraph(),
      { add: add.map(parseRelationship), remove: remove.map(parseRelationship) },
      compileSchema(hypotheticalText),
    )
  expect(apply(['document:a#owner@user:dan'], ['document:a#editor@user:ann'])().leftOut).toBe(2)
  expect(apply(['document:a#editor@user:dan'], [])).toThrow(expect.objectContaining({ field: 'whatIf.add.0.relation' }))
  expect(apply([], ['document:a#owner@user:dan'])).toThrow(
    expect.objectContaining({ field: 'whatIf.remove.0.relation' }),
  )
})
