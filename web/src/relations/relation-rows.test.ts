import { describe, expect, test } from 'vitest'
import { parseDepth, parseRelationSearch, toExpiryFilter, toFilter } from './relation-search.ts'
import { detailLimits, findNeighbour, overviewLimits, toGraph } from './to-graph.ts'
import { keyOf, type ShownRelationship } from './use-relations.ts'

/** Parses `document:a#viewer@group:b#member` into a row. */
function row(text: string): ShownRelationship {
  const [, type = '', id = '', relation = '', subjectType = '', subjectId = '', subjectRelation] =
    /^(\w+):(\w+)#(\w+)@(\w+):([\w*]+)(?:#(\w+))?$/.exec(text) ?? []
  const subject = { type: subjectType, id: subjectId, ...(subjectRelation && { relation: subjectRelation }) }
  const relationship = { resource: { type, id }, relation, subject }
  return { key: keyOf(relationship), relationship, isFollowed: false }
}
const rows = [
  'document:plan#viewer@group:staff#member',
  'document:plan#owner@user:ada',
  'document:plan#editor@user:ada',
  'group:staff#member@user:bo',
  'group:staff#member@group:staff#member',
].map(row)

describe('the graph', () => {
  test('has each object once, and one edge for all relationships between two objects', () => {
    const { objects, edges, omittedCount } = toGraph(rows, overviewLimits)
    expect(objects.map(({ id }) => id)).toEqual(['document:plan', 'group:staff', 'user:ada', 'user:bo'])
    expect(edges.map(({ source, target, labels }) => [source, target, ...labels])).toEqual([
      ['document:plan', 'group:staff', 'viewer', '#member'],
      ['document:plan', 'user:ada', 'owner', 'editor'],
      ['group:staff', 'user:bo', 'member'],
      ['group:staff', 'group:staff', 'member', '#member'],
    ])
    expect(omittedCount).toBe(0)
  })

  test('counts omitted objects', () => {
    const { objects, edges, omittedCount } = toGraph(rows, { ...detailLimits, objects: 2 })
    expect([objects.length, edges.length, omittedCount]).toEqual([2, 2, 2])
  })

  test('shows the first subjects of an object with many, and all of them on request', () => {
    const members = Array.from({ length: 20 }, (_, index) => row(`group:staff#member@user:u${index}`))
    const overview = toGraph(members, overviewLimits)
    expect(overview).toMatchObject({ objects: { length: 6 }, edges: { length: 5 }, omittedCount: 0 })
    expect(overview.objects.at(-1)).toMatchObject({ more: { count: 16, relation: 'member' } })
    expect(toGraph(members, detailLimits)).toMatchObject({ objects: { length: 21 }, omittedCount: 0 })
  })

  test('is navigated along its edges, and up and down within a column', () => {
    const nodes = [
      { id: 'a', x: 0, y: 50 },
      { id: 'b', x: 100, y: 0 },
      { id: 'c', x: 100, y: 60 },
      { id: 'd', x: 100, y: 120 },
    ]
    const edges = ['b', 'c', 'd'].map((target) => ({ source: 'a', target }))
    const [a, b, c] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]]
    expect(findNeighbour(a, 'ArrowRight', nodes, edges)).toBe('c')
    expect(findNeighbour(c, 'ArrowLeft', nodes, edges)).toBe('a')
    expect(findNeighbour(c, 'ArrowDown', nodes, edges)).toBe('d')
    expect(findNeighbour(c, 'ArrowUp', nodes, edges)).toBe('b')
    expect(findNeighbour(b, 'ArrowUp', nodes, edges)).toBeUndefined()
    expect(findNeighbour(a, 'ArrowLeft', nodes, edges)).toBeUndefined()
  })
})

describe('the URL', () => {
  test('holds the filter; only `subjectRelation` may be empty', () => {
    const search = parseRelationSearch({
      resourceType: '',
      subjectRelation: '',
      relation: ['a', 'b'],
      view: 'graph',
      x: '1',
    })
    expect(search).toEqual({ subjectRelation: '', view: 'graph' })
    expect(toFilter({ ...search, resourceId: 'a' })).toEqual({ subjectRelation: '', resourceId: 'a' })
  })

  test.for([
    [undefined, 1],
    ['2', 2],
    ['3', 3],
    ['9', 1],
  ] as const)('the depth %s is parsed as %s', ([depth, is]) => expect(parseDepth(depth ? { depth } : {})).toBe(is))

  test('`expiresWithin` becomes an instant that is the same for a minute', () => {
    const at = Date.parse('2026-01-01T10:00:30Z')
    expect(toExpiryFilter({ expiresWithin: '7' }, at)).toEqual({ expiresBefore: '2026-01-08T10:01:00.000Z' })
    expect(toExpiryFilter({ expiresWithin: '7' }, at + 20_000)).toEqual(toExpiryFilter({ expiresWithin: '7' }, at))
    expect(toExpiryFilter({ expiresWithin: '99999' }, at)).toEqual({})
  })
})
