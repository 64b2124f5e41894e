import { MemoryGraph } from '@passport/permissions/memory-graph'
import type { Relationship } from '@passport/permissions/relationship'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CopiedRows } from './copied-rows.ts'
import { rowOf } from './rows.ts'

const name = fc.constantFrom('document', 'folder', 'viewer', 'reviews', 'rebates', 'passport/user')
const id = fc.oneof(fc.constantFrom('a', 'ab', 'ba', '*'), fc.stringMatching(/^[a-z0-9é¢/_|=+-]{1,12}$/))
const caveat = fc.record({ name: fc.constant('by_day'), context: fc.dictionary(fc.string(), fc.string()) })

const relationship: fc.Arbitrary<Relationship> = fc
  .record({
    resource: fc.record({ type: name, id }),
    relation: name,
    subject: fc.record({ type: name, id }),
    set: fc.option(name, { nil: undefined }),
    caveat: fc.option(caveat, { nil: undefined }),
    expiresAt: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ subject, set, caveat, expiresAt, ...rest }) => ({
    ...rest,
    subject: { ...subject, ...(set && { relation: set }) },
    ...(caveat && { caveat }),
    ...(expiresAt !== undefined && { expiresAt }),
  }))

/** As COPY writes it: what JSON has written with backslashes has one more for each. */
function lineOf(relationship: Relationship): string {
  const { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation, terms } = rowOf(relationship)
  const told = terms.caveat == null && terms.expiresAt == null ? {} : terms
  const text = JSON.stringify(told).replaceAll('\\', '\\\\')
  return `${[resourceType, resourceId, relation, subjectType, subjectId, subjectRelation, text].join('\t')}\n`
}

test('what COPY sends is the same graph wherever it is cut', () => {
  fc.assert(
    fc.property(fc.array(relationship, { maxLength: 40 }), fc.integer({ min: 1, max: 200 }), (all, size) => {
      const expected = new MemoryGraph()
      for (const one of all) expected.add(one)
      const graph = new MemoryGraph()
      const rows = new CopiedRows(graph)
      const bytes = Buffer.from(all.map(lineOf).join(''))
      for (let at = 0; at < bytes.length; at += size) rows.take(bytes.subarray(at, at + size))

      const found = graph.read({})
      expect(found).toEqual(expected.read({}))
      const counts = Object.entries(Object.groupBy(found, ({ resource }) => resource.type))
      expect(rows.counts()).toEqual(new Map(counts.map(([type, some]) => [type, some?.length])))
    }),
  )
})
