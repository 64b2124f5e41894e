import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from './check.ts'
import { compileSchema } from './compile.ts'
import { expand } from './expand.ts'
import { lookupResources } from './lookup-resources.ts'
import { lookupSubjects } from './lookup-subjects.ts'
import { MemoryGraph } from './memory-graph.ts'
import { parseRelationship } from './relationship-text.ts'
import { supposed } from './what-if.ts'

const schema = compileSchema(`use expiration

caveat on(a int) {
  a == 1
}

definition user {}

definition group {
  relation member: user | group#member | user with on
}

definition folder {
  relation parent: folder
  relation viewer: user | group#member | user with expiration
  permission view = viewer + parent->view
}

definition document {
  relation folder: folder | folder with on
  relation viewer: user | user:* | group#member | user with on
  relation banned: user | group#member
  permission view = viewer + folder->view - banned
  permission both = viewer & folder.all(view)
}
`)

const id = fc.constantFrom('a', 'b', 'c')
const line = fc.oneof(
  fc.tuple(id, id, fc.constantFrom('', '[on]', '[on:{"a":1}]')).map(([g, u, c]) => `group:${g}#member@user:${u}${c}`),
  fc.tuple(id, id).map(([g, h]) => `group:${g}#member@group:${h}#member`),
  fc.tuple(id, id).map(([f, g]) => `folder:${f}#parent@folder:${g}`),
  fc.tuple(id, id).map(([f, u]) => `folder:${f}#viewer@user:${u}[expiration:2026-01-01T00:00:00Z]`),
  fc.tuple(id, id).map(([f, g]) => `folder:${f}#viewer@group:${g}#member`),
  fc.tuple(id, id, fc.constantFrom('', '[on]')).map(([d, f, c]) => `document:${d}#folder@folder:${f}${c}`),
  fc.tuple(id, fc.constantFrom('a', 'b', '*')).map(([d, u]) => `document:${d}#viewer@user:${u}`),
  fc.tuple(id, id).map(([d, g]) => `document:${d}#banned@group:${g}#member`),
)
const now = Date.parse('2025-12-31T00:00:00Z')
const keyOf = (text: string) => text.split('[')[0]

const outcome = (answer: () => object) => {
  try {
    return answer()
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('an overlay answers as a graph in which the same is written', async () => {
  await fc.assert(
    fc.property(
      fc.uniqueArray(line, { maxLength: 20, selector: keyOf }),
      fc.uniqueArray(line, { maxLength: 8, selector: keyOf }),
      fc.uniqueArray(line, { maxLength: 8, selector: keyOf }),
      id,
      fc.constantFrom('view', 'both'),
      (stored, added, removals, who, permission) => {
        const removed = removals.filter((text) => !added.some((other) => keyOf(other) === keyOf(text)))
        const below = new MemoryGraph()
        for (const text of stored) below.add(parseRelationship(text))
        const before = below.read({}).length
        const real = new MemoryGraph()
        for (const text of stored) real.add(parseRelationship(text))
        for (const text of removed) real.remove(parseRelationship(text))
        for (const text of added) real.add(parseRelationship(text))
        const overlay = supposed(schema, below, {
          add: added.map(parseRelationship),
          remove: removed.map(parseRelationship),
        })
        const answers = [real, overlay.graph].map((graph) => {
          const subject = { type: 'user', id: who }
          const ofDocument = ['a', 'b', 'c'].flatMap((id) => {
            const question = { resource: { type: 'document', id }, permission }
            return [
              outcome(() => check(schema, graph, { ...question, subject }, { now })),
              outcome(() => lookupSubjects(schema, graph, { ...question, subjectType: 'user', limit: 100 }, { now })),
              outcome(() => expand(schema, graph, question, { now })),
            ]
          })
          const resources = { resourceType: 'document', permission, subject, limit: 100 }
          return [...ofDocument, outcome(() => lookupResources(schema, graph, resources, { now }))].map((one) => {
            // How much is looked at, and whether a circle is met there, depends on what comes first.
            return typeof one === 'string' ? one : sorted({ ...one, visited: undefined, hasCycle: undefined })
          })
        })
        expect(answers[1]).toEqual(answers[0])
        expect(below.read({})).toHaveLength(before)
      },
    ),
  )
})

/** The children of a union in one order: a graph tells its edges in none. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sorted(inner)]))
}
