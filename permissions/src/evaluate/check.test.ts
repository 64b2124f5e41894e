import { describe, expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { PermissionError } from '../error.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import type { CaveatContext } from '../graph/relationship.ts'
import { lookupResources, lookupSubjects } from '../lookup/lookup.ts'
import { parseRow } from '../test-rows.ts'
import { check } from './check.ts'
import type { Cycles } from './evaluation.ts'

const schema = compileSchema(`use self

use expiration

caveat one(a int) {
  a == 1
}

caveat two(b int) {
  b == 1
}

caveat ratio(a int, b int) {
  a / b == 1
}

definition user {
  relation friend: user
  permission own = self
}

definition plain {}

definition group {
  relation member: user | group#member | user with one
  relation guest: user
  permission guests = guest
}

definition folder {
  relation parent: folder
  relation viewer: user | user with one
  relation editor: user | user with two
  permission view = viewer + parent->view
  permission either = viewer + editor
  permission both = viewer & editor
  permission minus = viewer - editor
}

definition doc {
  relation parent: folder | folder#parent | plain | folder with one | folder#parent with two
  relation viewer: user | user:* | group#member | user with one | user with two | user with expiration | user with ratio
  relation editor: user | user:*
  relation banned: user | user:* | group#member | user with two
  relation mixed: user | user#friend | user with two
  permission alias = viewer
  permission plus = viewer + editor
  permission deeper = plus + editor
  permission minus = viewer - banned
  permission both = viewer & banned
  permission some = parent->either
  permission any = parent.any(either)
  permission every = parent.all(either)
  permission nothing = nil
}
`)

const chain = Array.from({ length: 60 }, (_, level) => `group:n${level}#member@group:n${level + 1}#member`)
const folders = Array.from({ length: 60 }, (_, level) => `folder:n${level}#parent@folder:n${level + 1}`)
const ends = [47, 48, 49, 50].flatMap((level) => [
  `group:n${level}#member@user:u${level}`,
  `folder:n${level}#viewer@user:u${level}`,
])

const rows = [
  ...chain,
  ...folders,
  ...ends,
  'doc:deep#viewer@group:n0#member',
  'doc:open#viewer@user:*',
  'doc:banned#viewer@user:*',
  'doc:banned#banned@user:bob',
  'doc:closed#viewer@user:ann',
  'doc:closed#banned@user:*',
  'folder:aaa#viewer@user:ann',
  'folder:aaa#viewer@user:bob',
  'folder:bbb#viewer@user:bob',
  'doc:all1#parent@folder:aaa',
  'doc:all1#parent@folder:bbb',
  'doc:all2#parent@folder:aaa',
  'doc:all2#parent@folder:bbb[one]',
  'doc:all3#parent@folder:aaa',
  'doc:all3#parent@folder:bbb[one:{"a":2}]',
  'doc:all4#parent@folder:aaa',
  'doc:all4#parent@plain:ppp',
  'doc:all5#parent@folder:aaa',
  'doc:all5#parent@folder:aaa#parent[two]',
  'doc:all7#parent@folder:bbb#parent',
  'doc:all7#parent@folder:aaa',
  'doc:all8#parent@folder:aaa[one]',
  'doc:all8#parent@folder:aaa#parent[two]',
  'folder:mmm#viewer@user:ann[one]',
  'folder:mmm#editor@user:ann[two]',
  'folder:ooo#viewer@user:ann[one]',
  'folder:ooo#editor@user:ann',
  'doc:ctx#viewer@user:ann[one:{"a":1}]',
  'doc:ratio#viewer@user:ann[ratio]',
  'doc:mixed#mixed@user:ann[two]',
  'group:c1#member@group:c2#member',
  'group:c2#member@group:c1#member',
  'group:c2#member@user:cat',
  'doc:circle#viewer@group:c1#member',
  'doc:unsure#viewer@user:ann',
  'doc:unsure#viewer@user:cat',
  'doc:unsure#banned@group:c1#member',
]

const graph = new MemoryGraph()
for (const text of rows) graph.add(parseRow(text))
graph.add({ ...parseRow('doc:expiring#viewer@user:ann'), expiresAt: 1_000 })
graph.add({ ...parseRow('doc:all9#parent@folder:bbb'), expiresAt: 1_000 })
graph.add(parseRow('doc:all9#parent@folder:aaa'))

function checkRow(
  request: string,
  context: CaveatContext = {},
  options: { now?: number; cycles?: Cycles } = {},
): string {
  const { resource, relation: permission, subject } = parseRow(request)
  try {
    const verdict = check(schema, graph, { resource, permission, subject, context }, { now: 999, ...options })
    return verdict.permissionship === 'conditional' ? `if ${verdict.missing}` : verdict.permissionship.slice(0, -10)
  } catch (error) {
    if (error instanceof PermissionError) return error.code
    throw error
  }
}

describe('check', () => {
  test.each([
    ['group:c1#member@user:ann', ['group:c1#member', 'group:c2#member']],
    ['doc:circle#viewer@user:ann', ['group:c1#member', 'group:c2#member']],
    ['doc:unsure#minus@user:ann', ['group:c1#member', 'group:c2#member']],
  ])('reports the cycle of %s in a traced error', (text, cycle) => {
    const { resource, relation: permission, subject } = parseRow(text)
    const run = () => check(schema, graph, { resource, permission, subject }, { now: 0, withTrace: true })
    expect(run).toThrow(expect.objectContaining({ code: 'cycle', field: undefined, cycle }))
  })

  test.each([
    ['groups nested 49 deep', 'group:n0#member@user:u49', 'has'],
    ['groups nested 50 deep', 'group:n0#member@user:u50', 'depth-exceeded'],
    ['a userset in a relation costs one level', 'doc:deep#viewer@user:u48', 'has'],
    ['one level too many', 'doc:deep#viewer@user:u49', 'depth-exceeded'],
    ['an alias costs none', 'doc:deep#alias@user:u48', 'has'],
    ['an expression costs one level', 'doc:deep#plus@user:u47', 'has'],
    ['one level too many', 'doc:deep#plus@user:u48', 'depth-exceeded'],
    ['each expression costs one level', 'doc:deep#deeper@user:u47', 'depth-exceeded'],
    ['an arrow and a relation cost one level each', 'folder:n0#view@user:u48', 'has'],
    ['one level too many', 'folder:n0#view@user:u49', 'depth-exceeded'],
    ['a shallow chain is within the limit', 'group:n20#member@user:nobody', 'no'],
    ['a wildcard includes unknown subjects', 'doc:open#viewer@user:stranger', 'has'],
    ['a wildcard includes usersets of its type', 'doc:open#viewer@user:stranger#friend', 'has'],
    ['a wildcard excludes other types', 'doc:open#viewer@group:any#member', 'no'],
    ['a wildcard as the subject', 'doc:open#viewer@user:*', 'wildcard-subject'],
    ['a subject excluded from a wildcard', 'doc:banned#minus@user:bob', 'no'],
    ['a subject not excluded from a wildcard', 'doc:banned#minus@user:ann', 'has'],
    ['an excluded wildcard', 'doc:closed#minus@user:ann', 'no'],
    ['a wildcard on one side of an intersection', 'doc:closed#both@user:ann', 'has'],
    ['only a wildcard on one side of an intersection', 'doc:closed#both@user:bob', 'no'],
    ['nil', 'doc:open#nothing@user:ann', 'no'],
    ['self', 'user:ann#own@user:ann', 'has'],
    ['self of an object without relationships', 'user:new#own@user:new', 'has'],
    ['self of another', 'user:ann#own@user:bob', 'no'],
    ['self is not a userset of the object', 'user:ann#own@user:ann#friend', 'no'],
    ['a userset contains itself', 'doc:closed#minus@doc:closed#minus', 'has'],
    ['an empty userset contains itself', 'doc:none#minus@doc:none#minus', 'has'],
    ['a userset contains its operand', 'doc:none#minus@doc:none#viewer', 'has'],
    ['a userset of another object', 'doc:none#minus@doc:closed#minus', 'no'],
    ['an arrow', 'doc:all1#some@user:ann', 'has'],
    ['any equals an arrow', 'doc:all1#any@user:ann', 'has'],
    ['all with one object missing', 'doc:all1#every@user:ann', 'no'],
    ['all with every object', 'doc:all1#every@user:bob', 'has'],
    ['all of no objects', 'doc:none#every@user:bob', 'no'],
    ['all under a caveat', 'doc:all2#every@user:bob', 'if a'],
    ['all with a caveat that fails', 'doc:all3#every@user:bob', 'no'],
    ['all with a type that lacks it', 'doc:all4#every@user:bob', 'no'],
    ['any with a type that lacks it', 'doc:all4#any@user:bob', 'has'],
    ['all with one object twice', 'doc:all5#every@user:bob', 'if b'],
    ['all by the objects of usersets', 'doc:all7#every@user:bob', 'has'],
    ['all ignores expired objects', 'doc:all9#every@user:ann', 'has', {}, { now: 1_000 }],
    ['all includes objects that expire later', 'doc:all9#every@user:ann', 'no'],
    ['two caveats on one object', 'doc:all8#any@user:bob', 'if a,b'],
    ['either, nothing known', 'folder:mmm#either@user:ann', 'if a,b'],
    ['either, one true', 'folder:mmm#either@user:ann', 'has', { b: 1 }],
    ['either, one false', 'folder:mmm#either@user:ann', 'if b', { a: 2 }],
    ['both, one true', 'folder:mmm#both@user:ann', 'if b', { a: 1 }],
    ['both, one false', 'folder:mmm#both@user:ann', 'no', { b: 2 }],
    ['exclusion, nothing known', 'folder:mmm#minus@user:ann', 'if a,b'],
    ['exclusion, excluded', 'folder:mmm#minus@user:ann', 'no', { b: 1 }],
    ['exclusion, not excluded', 'folder:mmm#minus@user:ann', 'if a', { b: 2 }],
    ['exclusion, excluded unconditionally', 'folder:ooo#minus@user:ann', 'no'],
    ['the context of the relationship takes precedence', 'doc:ctx#viewer@user:ann', 'has', { a: 2 }],
    ['overridden values are not read', 'doc:ctx#viewer@user:ann', 'has', { a: 'x' }],
    ['a wrong type', 'folder:mmm#viewer@user:ann', 'context-type', { a: 'x' }],
    ['a wrong type that is not read', 'folder:aaa#viewer@user:ann', 'has', { a: 'x' }],
    ['a failing caveat', 'doc:ratio#viewer@user:ann', 'caveat-failed', { a: 1, b: 0 }],
    ['a caveat beside plain usersets', 'doc:mixed#mixed@user:ann', 'has', { b: 1 }],
    ['before it expires', 'doc:expiring#viewer@user:ann', 'has', {}, { now: 999 }],
    ['when it expires', 'doc:expiring#viewer@user:ann', 'no', {}, { now: 1_000 }],
    ['a cycle with a match', 'group:c1#member@user:cat', 'has'],
    ['a cycle without a match', 'group:c1#member@user:ann', 'cycle'],
    ['a visited cycle without a match', 'group:c1#member@user:ann', 'no', {}, { cycles: 'visited' }],
    [
      'a visited cycle without a match in a subtracted operand',
      'doc:unsure#minus@user:ann',
      'cycle',
      {},
      { cycles: 'visited' },
    ],
    [
      'a visited cycle with a match in a subtracted operand',
      'doc:unsure#minus@user:cat',
      'no',
      {},
      { cycles: 'visited' },
    ],
    ['an unknown type', 'nope:any#viewer@user:ann', 'unknown-type'],
    ['an unknown permission', 'doc:any#nosuch@user:ann', 'unknown-permission'],
    ['an unknown subject type', 'doc:any#viewer@nope:ann', 'unknown-type'],
    ['an unknown subject relation', 'doc:any#viewer@user:ann#nosuch', 'unknown-relation'],
    ['a name that is too short', 'doc:any#viewer@user:ann#no', 'malformed-relation'],
    ['a malformed id', 'doc:a b#viewer@user:ann', 'malformed-id'],
  ] as [string, string, string, CaveatContext?, { now?: number; cycles?: Cycles }?][])(
    '%s: %s returns %s',
    (_, request, expected, context, options) => {
      expect(checkRow(request, context, options)).toBe(expected)
    },
  )

  test('records a trace', () => {
    const { resource, relation: permission, subject } = parseRow('doc:banned#minus@user:bob')
    const { trace } = check(schema, graph, { resource, permission, subject }, { now: 0, withTrace: true })
    expect(trace).toMatchObject({
      step: { kind: 'permission', name: 'minus' },
      permissionship: 'noPermission',
      children: [
        {
          step: { kind: 'exclusion' },
          children: [
            {
              step: { name: 'viewer' },
              permissionship: 'hasPermission',
              children: [{ step: { kind: 'relationship' } }],
            },
            {
              step: { name: 'banned' },
              permissionship: 'hasPermission',
              children: [{ step: { relationship: parseRow('doc:banned#banned@user:bob') }, children: [] }],
            },
          ],
        },
      ],
    })
  })

  test('records the caveat that decided and its values', () => {
    const { resource, relation: permission, subject } = parseRow('folder:mmm#both@user:ann')
    const request = { resource, permission, subject, context: { a: 1, other: 2 } }
    const { trace, missing } = check(schema, graph, request, { now: 0, withTrace: true })
    expect(missing).toEqual(['b'])
    const [viewer, editor] = trace?.children[0]?.children ?? []
    expect(viewer?.children[0]?.caveat).toMatchObject({ name: 'one', context: { a: 1 }, result: 'true', missing: [] })
    expect(editor?.children[0]?.caveat).toMatchObject({ name: 'two', context: {}, result: 'missing', missing: ['b'] })
  })
})

describe('lookups', () => {
  test('report cycles, and fail where cycles are errors', () => {
    const request = { resourceType: 'doc', permission: 'viewer', subject: { type: 'user', id: 'cat' }, limit: 10 }
    const page = lookupResources(schema, graph, request, { now: 0 })
    expect(page).toMatchObject({ hasCycle: true })
    expect(page.items.map(({ id }) => id)).toEqual(['banned', 'circle', 'open', 'unsure'])
    expect(() => lookupResources(schema, graph, request, { now: 0, cycles: 'error' })).toThrow(PermissionError)
    const subjectsRequest = {
      resource: { type: 'doc', id: 'circle' },
      permission: 'viewer',
      subjectType: 'user',
      limit: 10,
    }
    expect(lookupSubjects(schema, graph, subjectsRequest, { now: 0 })).toMatchObject({
      hasCycle: true,
      items: [{ id: 'cat' }],
    })
    expect(() => lookupSubjects(schema, graph, subjectsRequest, { now: 0, cycles: 'error' })).toThrow(PermissionError)
  })

  test('accept only a cursor of the same request', () => {
    const request = { resourceType: 'doc', permission: 'viewer', subject: { type: 'user', id: 'ann' }, limit: 2 }
    const first = lookupResources(schema, graph, request, { now: 0 })
    expect(first.items.map(({ id }) => id)).toEqual(['banned', 'closed'])
    const { cursor = '' } = first
    const next = lookupResources(schema, graph, { ...request, cursor }, { now: 0 })
    expect(next.items.map(({ id }) => id)).toEqual(['ctx', 'expiring'])
    for (const wrong of [
      { ...request, permission: 'plus', cursor },
      { ...request, cursor: 'nonsense' },
    ]) {
      expect(() => lookupResources(schema, graph, wrong, { now: 0 })).toThrow(
        expect.objectContaining({ code: 'cursor-mismatch', field: 'cursor' }),
      )
    }
  })

  test.each([
    ['doc:banned', 'minus', 'include', ['* but bob']],
    ['doc:banned', 'minus', 'exclude', []],
    ['doc:banned', 'both', 'include', ['bob']],
    ['doc:closed', 'minus', 'include', []],
    ['doc:closed', 'both', 'include', ['ann']],
  ] as const)('%s#%s with wildcards %sd returns %j', (text, permission, wildcards, expected) => {
    const [type = '', id = ''] = text.split(':')
    const request = { resource: { type, id }, permission, subjectType: 'user', wildcards, limit: 10 }
    const { items } = lookupSubjects(schema, graph, request, { now: 0 })
    expect(items.map((item) => [item.id, ...item.excluded.map((subject) => `but ${subject.id}`)].join(' '))).toEqual(
      expected,
    )
  })

  test('find usersets, including the userset itself', () => {
    const resource = { type: 'doc', id: 'circle' }
    const request = { resource, permission: 'viewer', subjectType: 'group', subjectRelation: 'member', limit: 10 }
    expect(lookupSubjects(schema, graph, request, { now: 0 }).items.map(({ id }) => id)).toEqual(['c1', 'c2'])
  })
})

test('lookupSubjects stays within the budget for the subjects of two thousand groups', () => {
  const largeGraph = new MemoryGraph()
  for (let index = 0; index < 2_000; index++) {
    largeGraph.add(parseRow(`doc:big#viewer@group:m${index}#member`))
    largeGraph.add(parseRow(`group:m${index}#member@user:m${index % 1_500}`))
  }
  const request = { resource: { type: 'doc', id: 'big' }, permission: 'viewer', subjectType: 'user', limit: 5_000 }
  expect(lookupSubjects(schema, largeGraph, request, { now: 0 }).items).toHaveLength(1_500)
})
