import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { check } from '../evaluate/check.ts'
import { expand } from '../evaluate/expand.ts'
import { lookupResources, lookupSubjects } from '../lookup/lookup.ts'
import { MemoryGraph } from './memory-graph.ts'
import { parseRelationship } from './relationship-text.ts'
import { applyWhatIf } from './what-if.ts'

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
const rowArbitrary = fc.oneof(
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

const outcome = (run: () => object) => {
  try {
    return run()
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('an overlay evaluates like a graph with the same changes written', async () => {
  await fc.assert(
    fc.property(
      fc.uniqueArray(rowArbitrary, { maxLength: 20, selector: keyOf }),
      fc.uniqueArray(rowArbitrary, { maxLength: 8, selector: keyOf }),
      fc.uniqueArray(rowArbitrary, { maxLength: 8, selector: keyOf }),
      id,
      fc.constantFrom('view', 'both'),
      (stored, added, removals, userId, permission) => {
        const removed = removals.filter((text) => !added.some((other) => keyOf(other) === keyOf(text)))
        const base = new MemoryGraph()
        for (const text of stored) base.add(parseRelationship(text))
        const before = base.read({}).length
        const written = new MemoryGraph()
        for (const text of stored) written.add(parseRelationship(text))
        for (const text of removed) written.remove(parseRelationship(text))
        for (const text of added) written.add(parseRelationship(text))
        const overlay = applyWhatIf(schema, base, {
          add: added.map(parseRelationship),
          remove: removed.map(parseRelationship),
        })
        const results = [written, overlay.graph].map((graph) => {
          const subject = { type: 'user', id: userId }
          const documentAnswers = ['a', 'b', 'c'].flatMap((id) => {
            const request = { resource: { type: 'document', id }, permission }
            return [
              outcome(() => check(schema, graph, { ...request, subject }, { now })),
              outcome(() => lookupSubjects(schema, graph, { ...request, subjectType: 'user', limit: 100 }, { now })),
              outcome(() => expand(schema, graph, request, { now })),
            ]
          })
          const resources = { resourceType: 'document', permission, subject, limit: 100 }
          return [...documentAnswers, outcome(() => lookupResources(schema, graph, resources, { now }))].map(
            (result) => {
              // The number of visited nodes, and whether a cycle is met, depend on the order of edges.
              return typeof result === 'string'
                ? result
                : sortDeep({ ...result, visited: undefined, hasCycle: undefined })
            },
          )
        })
        expect(results[1]).toEqual(results[0])
        expect(base.read({})).toHaveLength(before)
      },
    ),
  )
})

/** Sorts the children of unions, because graphs do not order their edges. */
function sortDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortDeep).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sortDeep(inner)]))
}
