import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { parseRow, printRow } from '../test-rows.ts'
import { MemoryGraph } from './memory-graph.ts'
import { compareRelationships } from './read-relationships.ts'
import type { Relationship } from './relationship.ts'

const relationshipArbitrary: fc.Arbitrary<Relationship> = fc
  .record({
    resource: fc.record({ type: fc.constantFrom('doc', 'group'), id: fc.constantFrom('a', 'b', 'c', 'ab') }),
    relation: fc.constantFrom('viewer', 'member'),
    subject: fc.record({ type: fc.constantFrom('user', 'group'), id: fc.constantFrom('a', 'b', '*', 'z') }),
    subjectRelation: fc.constantFrom(undefined, 'member'),
    expiresAt: fc.constantFrom(undefined, 5),
    caveat: fc.constantFrom(undefined, { name: 'one', context: { a: 1 } }),
  })
  .map(({ subject, subjectRelation, expiresAt, caveat, ...rest }) => ({
    ...rest,
    subject: subjectRelation ? { ...subject, relation: subjectRelation } : subject,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(caveat && { caveat }),
  }))

test('a graph holds the relationships that were added and not removed since', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), relationshipArbitrary), { maxLength: 80 }), (changes) => {
      const graph = new MemoryGraph()
      const expected = new Map<string, Relationship>()
      for (const [isAdded, changed] of changes) {
        if (isAdded) expect(graph.add(changed)).toBe(!expected.has(printRow(changed)))
        else expect(graph.remove(changed)).toBe(expected.has(printRow(changed)))
        if (isAdded) expected.set(printRow(changed), changed)
        else expected.delete(printRow(changed))
      }
      expect(graph.size).toBe(expected.size)
      expect(graph.read({})).toEqual([...expected.values()].sort(compareRelationships))
    }),
  )
})

test('a graph has its former relationships and objects after others were added and removed', () => {
  fc.assert(
    fc.property(fc.array(relationshipArbitrary), fc.array(relationshipArbitrary), (kept, transient) => {
      const graph = new MemoryGraph()
      for (const relationship of kept) graph.add(relationship)
      const before = graph.read({})
      const objects = [...graph.objects()].length
      const keys = new Set(kept.map(printRow))
      const added = transient.filter((relationship) => !keys.has(printRow(relationship)))
      for (const relationship of added) graph.add(relationship)
      for (const relationship of added) graph.remove(relationship)
      expect(graph.read({})).toEqual(before)
      expect([...graph.objects()].length).toBe(objects)
    }),
  )
})

test('pages of a read are in order, without duplicates', () => {
  const filters = fc.record(
    {
      resourceType: fc.constantFrom('doc', 'group'),
      resourceId: fc.constantFrom('a', 'ab'),
      resourceIdPrefix: fc.constantFrom('a', 'b'),
      relation: fc.constantFrom('viewer', 'member'),
      subjectType: fc.constantFrom('user', 'group'),
      subjectId: fc.constantFrom('a', '*'),
      subjectRelation: fc.constantFrom('', 'member'),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(
      fc.array(relationshipArbitrary, { maxLength: 60 }),
      filters,
      fc.integer({ min: 1, max: 7 }),
      (all, filter, limit) => {
        const graph = new MemoryGraph()
        for (const relationship of all) graph.add(relationship)
        const actual: Relationship[] = []
        for (;;) {
          const after = actual.at(-1)
          const page = graph.read(filter, { limit, ...(after && { after }) })
          expect(page.length).toBeLessThanOrEqual(limit)
          if (page.length === 0) break
          actual.push(...page)
        }
        const expected = new Map(all.map((relationship) => [printRow(relationship), relationship]))
        const matching = [...expected.values()].filter(
          ({ resource, relation, subject }) =>
            (filter.resourceType ?? resource.type) === resource.type &&
            (filter.resourceId ?? resource.id) === resource.id &&
            resource.id.startsWith(filter.resourceIdPrefix ?? '') &&
            (filter.relation ?? relation) === relation &&
            (filter.subjectType ?? subject.type) === subject.type &&
            (filter.subjectId ?? subject.id) === subject.id &&
            (filter.subjectRelation ?? subject.relation ?? '') === (subject.relation ?? ''),
        )
        expect(actual).toEqual(matching.sort(compareRelationships))
      },
    ),
  )
})

test('a read with `now` omits expired relationships', () => {
  const graph = new MemoryGraph()
  graph.add({ ...parseRow('doc:a#viewer@user:a'), expiresAt: 5 })
  expect(graph.read({}, { limit: 1, now: 4 })).toHaveLength(1)
  expect(graph.read({}, { limit: 1, now: 5 })).toHaveLength(0)
})

test('a read with `expiresBefore` returns relationships that expire before a time, page by page', () => {
  const graph = new MemoryGraph()
  for (const id of ['a', 'b', 'c', 'd']) graph.add(parseRow(`doc:${id}#viewer@user:a`))
  for (const [id, expiresAt] of [
    ['b1', 7],
    ['c1', 9],
    ['a1', 3],
  ] as const)
    graph.add({ ...parseRow(`doc:${id}#viewer@user:a`), expiresAt })
  const page = { limit: 1, now: 2, expiresBefore: 9 }
  const [first] = graph.read({}, page)
  expect(first?.resource.id).toBe('a1')
  expect(
    graph.read({}, { ...page, limit: 9, ...(first && { after: first }) }).map(({ resource }) => resource.id),
  ).toEqual(['b1'])
  expect(graph.read({}, { ...page, now: 7 })).toEqual([])
})

test.for([{ relation: 'owner' }, { resourceIdPrefix: 'd7' }, { subjectType: 'robot' }, { relation: 'nothing' }])(
  'a read of %j converts no other relationship to text',
  (filter) => {
    const graph = new MemoryGraph()
    for (let at = 0; at < 100; at++) {
      const resource = { type: 'document', id: `d${at}` }
      graph.add({ resource, relation: 'viewer', subject: { type: 'user', id: 'ann' } })
      if (at % 10 !== 7) continue
      graph.add({ resource, relation: 'owner', subject: { type: 'user', id: 'ann' } })
      graph.add({ resource, relation: 'viewer', subject: { type: 'robot', id: 'r2' } })
    }
    const conversions = vi.spyOn(graph, 'relationshipOf')
    const found = graph.read(filter)
    expect(conversions).toHaveBeenCalledTimes(found.length)
    expect(found.length).toBe(filter.relation === 'nothing' ? 0 : filter.resourceIdPrefix ? 15 : 10)
  },
)
