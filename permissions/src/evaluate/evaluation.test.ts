import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import type { CheckVerdict } from '../engine.ts'
import { PermissionError } from '../error.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import type { CaveatContext, Relationship, SubjectReference } from '../graph/relationship.ts'
import { lookupResources, lookupSubjects } from '../lookup/lookup.ts'
import { check } from './check.ts'

const schema = compileSchema(`use self

use expiration

caveat one(a int) {
  a == 1
}

caveat two(b int) {
  b == 1
}

definition user {
  relation friend: user
  permission own = self + friend
}

definition group {
  relation member: user | group#member | user with one
  relation guest: user | user:*
  permission all = member - guest
}

definition folder {
  relation parent: folder | folder#parent | folder with two
  relation viewer: user | group#member | group#all | user:*
  permission view = viewer + parent->view
  permission every = viewer + parent.all(every)
}

definition doc {
  relation parent: folder | folder#parent
  relation viewer: user | user:* | group#member | user:* with one | user with two | group#member with one | user with expiration
  relation editor: user | user:* | group#all
  relation banned: user | user:* | group#member | user with one | user:* with two
  permission plain = viewer + editor
  permission both = viewer & editor
  permission minus = viewer - banned
  permission nested = viewer - (banned - editor)
  permission view = viewer + parent->view - banned
  permission every = parent.all(view)
  permission mixed = (viewer - banned) + (editor & viewer) + nil
}
`)

const users = ['ann', 'bob', 'cat'] as const
const now = 1_000

interface Kind {
  type: string
  relation: string
  subjects: string[]
  caveats: (string | undefined)[]
}

const kinds: Kind[] = [
  { type: 'user', relation: 'friend', subjects: ['user'], caveats: [undefined] },
  { type: 'group', relation: 'member', subjects: ['user', 'group#member'], caveats: [undefined, undefined, 'one'] },
  { type: 'group', relation: 'guest', subjects: ['user', 'user:*'], caveats: [undefined] },
  { type: 'folder', relation: 'parent', subjects: ['folder', 'folder#parent'], caveats: [undefined, 'two'] },
  {
    type: 'folder',
    relation: 'viewer',
    subjects: ['user', 'group#member', 'group#all', 'user:*'],
    caveats: [undefined],
  },
  { type: 'doc', relation: 'parent', subjects: ['folder', 'folder#parent'], caveats: [undefined] },
  {
    type: 'doc',
    relation: 'viewer',
    subjects: ['user', 'user:*', 'group#member'],
    caveats: [undefined, undefined, 'one', 'two'],
  },
  { type: 'doc', relation: 'editor', subjects: ['user', 'user:*', 'group#all'], caveats: [undefined] },
  { type: 'doc', relation: 'banned', subjects: ['user', 'user:*', 'group#member'], caveats: [undefined, 'one', 'two'] },
]

const ids: Record<string, string[]> = {
  user: [...users],
  group: ['g1', 'g2', 'g3'],
  folder: ['f1', 'f2', 'f3'],
  doc: ['d1', 'd2'],
}

function idArbitrary(type: string) {
  return fc.constantFrom(...(ids[type] ?? []))
}

const relationshipArbitrary: fc.Arbitrary<Relationship> = fc.constantFrom(...kinds).chain((kind) =>
  fc.constantFrom(...kind.subjects).chain((subject) => {
    const [object = '', relation] = subject.split('#')
    const [type = '', wildcard] = object.split(':')
    return fc
      .record({
        id: idArbitrary(kind.type),
        subjectId: wildcard ? fc.constant('*') : idArbitrary(type),
        caveat: fc.constantFrom(...kind.caveats),
        context: fc.constantFrom(undefined, undefined, 1, 2),
        isExpired: fc.constantFrom(false, false, false, true),
      })
      .map(({ id, subjectId, caveat, context, isExpired }): Relationship => {
        const values: CaveatContext = context === undefined ? {} : { [caveat === 'one' ? 'a' : 'b']: context }
        return {
          resource: { type: kind.type, id },
          relation: kind.relation,
          subject: { type, id: subjectId, ...(relation && { relation }) },
          ...(caveat && { caveat: { name: caveat, context: values } }),
          ...(isExpired && kind.type === 'doc' && { expiresAt: now }),
        }
      })
  }),
)

const scenario = fc.record({
  relationships: fc.array(relationshipArbitrary, { maxLength: 25 }),
  context: fc.constantFrom<CaveatContext>({}, { a: 1 }, { b: 2 }, { a: 2, b: 1 }),
})

function createGraph(relationships: readonly Relationship[]): MemoryGraph {
  const graph = new MemoryGraph()
  for (const relationship of relationships) graph.add(relationship)
  return graph
}

/** The verdict, `if` and the missing names, or the code of the error. */
function describeOutcome(evaluate: () => CheckVerdict): string {
  try {
    const { permissionship, missing } = evaluate()
    return permissionship === 'conditional' ? `if ${missing}` : permissionship
  } catch (error) {
    if (error instanceof PermissionError) return error.code
    throw error
  }
}

const permissions = [...schema.definitions.values()].flatMap(({ name, relations, permissions }) =>
  [...relations.keys(), ...permissions.keys()].map((permission) => ({ type: name, permission })),
)

const subjects: SubjectReference[] = [
  ...users.map((id) => ({ type: 'user', id })),
  { type: 'user', id: 'stranger' },
  { type: 'group', id: 'g1', relation: 'member' },
  { type: 'folder', id: 'f1' },
]

describe('with random relationships', () => {
  test('lookupResources returns every object that check does not deny, sorted, without duplicates across pages', () => {
    fc.assert(
      fc.property(scenario, fc.integer({ min: 1, max: 3 }), ({ relationships, context }, limit) => {
        const graph = createGraph(relationships)
        for (const { type, permission } of permissions) {
          for (const subject of subjects) {
            const expected = new Map<string, string>()
            for (const id of [...(ids[type] ?? []), 'stranger'].toSorted()) {
              const request = { resource: { type, id }, permission, subject, context }
              const verdict = describeOutcome(() => check(schema, graph, request, { now, cycles: 'visited' }))
              if (verdict !== 'noPermission') expected.set(id, verdict)
            }
            const isError = [...expected.values()].some((verdict) => verdict === 'cycle')
            const actual = new Map<string, string>()
            const errors = describeOutcome(() => {
              let cursor: string | undefined
              do {
                const request = { resourceType: type, permission, subject, context, limit, ...(cursor && { cursor }) }
                const page = lookupResources(schema, graph, request, { now })
                expect(page.items.length).toBeLessThanOrEqual(limit)
                for (const item of page.items) {
                  expect(actual.has(item.id)).toBe(false)
                  actual.set(
                    item.id,
                    describeOutcome(() => item),
                  )
                }
                cursor = page.cursor
              } while (cursor)
              return { permissionship: 'hasPermission', missing: [] }
            })
            if (isError) expect(errors).toBe('cycle')
            else expect([...actual]).toEqual([...expected])
          }
        }
      }),
    )
  })

  test('lookupSubjects agrees with check for every known subject and for an unknown one', () => {
    fc.assert(
      fc.property(scenario, ({ relationships, context }) => {
        const graph = createGraph(relationships)
        for (const { type, permission } of permissions) {
          for (const id of ids[type] ?? []) {
            const resource = { type, id }
            const request = { resource, permission, subjectType: 'user', context, limit: 100 }
            let page: ReturnType<typeof lookupSubjects>
            try {
              page = lookupSubjects(schema, graph, request, { now })
            } catch (error) {
              expect(error).toMatchObject({ code: 'cycle' })
              continue
            }
            const [everyone] = page.items.filter((item) => item.id === '*')
            for (const user of [...users, 'stranger']) {
              const subject = { type: 'user', id: user }
              const verdict = check(
                schema,
                graph,
                { resource, permission, subject, context },
                { now, cycles: 'visited' },
              )
              const found = page.items.find((item) => item.id === user)?.permissionship ?? 'noPermission'
              const excluded = everyone?.excluded.find((item) => item.id === user)?.permissionship
              expect(effective(found, everyone?.permissionship, excluded), `${type}:${id}#${permission}@${user}`).toBe(
                verdict.permissionship,
              )
            }
          }
        }
      }),
    )
  })
})

/** A subject's permissionship on a page: found, or included by the wildcard and not excluded. */
function effective(found: string, everyone = 'noPermission', excluded = 'noPermission'): string {
  const viaWildcard =
    excluded === 'hasPermission'
      ? 'noPermission'
      : excluded === 'conditional' && everyone !== 'noPermission'
        ? 'conditional'
        : everyone
  if (found === 'hasPermission' || viaWildcard === 'hasPermission') return 'hasPermission'
  return found === 'conditional' || viaWildcard === 'conditional' ? 'conditional' : 'noPermission'
}
