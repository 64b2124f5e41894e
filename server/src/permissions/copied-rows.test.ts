import { MemoryGraph, type Relationship } from '@passport/permissions'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CopiedRows } from './copied-rows.ts'
import { toRow } from './rows.ts'

const name = fc.constantFrom('document', 'folder', 'viewer', 'reviews', 'rebates', 'passport/user')
const id = fc.oneof(fc.constantFrom('a', 'ab', 'ba', '*'), fc.stringMatching(/^[a-z0-9é¢/_|=+-]{1,12}$/))
const caveat = fc.record({ name: fc.constant('by_day'), context: fc.dictionary(fc.string(), fc.string()) })

const relationship: fc.Arbitrary<Relationship> = fc
  .record({
    resource: fc.record({ type: name, id }),
    relation: name,
    subject: fc.record({ type: name, id }),
    subjectRelation: fc.option(name, { nil: undefined }),
    caveat: fc.option(caveat, { nil: undefined }),
    expiresAt: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ subject, subjectRelation, caveat, expiresAt, ...rest }) => ({
    ...rest,
    subject: { ...subject, ...(subjectRelation && { relation: subjectRelation }) },
    ...(caveat && { caveat }),
    ...(expiresAt !== undefined && { expiresAt }),
  }))

/** Formats a row as COPY does, which doubles the backslashes of the JSON. */
function formatLine(relationship: Relationship): string {
  const { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation, terms } = toRow(relationship)
  const nonEmptyTerms = terms.caveat == null && terms.expiresAt == null ? {} : terms
  const text = JSON.stringify(nonEmptyTerms).replaceAll('\\', '\\\\')
  return `${[resourceType, resourceId, relation, subjectType, subjectId, subjectRelation, text].join('\t')}\n`
}

test('COPY data yields the same graph however it is split into chunks', () => {
  fc.assert(
    fc.property(fc.array(relationship, { maxLength: 40 }), fc.integer({ min: 1, max: 200 }), (relationships, size) => {
      const expected = new MemoryGraph()
      for (const item of relationships) expected.add(item)
      const graph = new MemoryGraph()
      const rows = new CopiedRows(graph)
      const bytes = Buffer.from(relationships.map(formatLine).join(''))
      for (let at = 0; at < bytes.length; at += size) rows.addChunk(bytes.subarray(at, at + size))

      const stored = graph.read({})
      expect(stored).toEqual(expected.read({}))
      const counts = Object.entries(Object.groupBy(stored, ({ resource }) => resource.type))
      expect(rows.countByType()).toEqual(new Map(counts.map(([type, group]) => [type, group?.length])))
    }),
  )
})
