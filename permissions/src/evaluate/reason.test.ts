import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import { parseRelationship } from '../graph/relationship-text.ts'
import { check } from './check.ts'
import { reasons } from './reason.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

const schema = compileSchema(`use self

caveat day(day string) {
  day == "fri"
}

definition user {
  permission own = self
}

definition group {
  relation member: user | user with day | group#member | group#member with day
}

definition folder {
  relation viewer: user | user with day | group#member
  permission view = viewer
}

definition document {
  relation folder: folder | folder with day
  relation viewer: user | user with day | user:* | group#member
  relation signed: user | user with day
  relation banned: user | user with day | group#member
  permission view = viewer + folder->view - banned
  permission both = viewer & signed
  permission every = folder.all(view)
  permission outer = view & both - every
}
`)
const now = 1_000

function checkRows(rows: readonly string[], text: string, context = {}) {
  const graph = new MemoryGraph()
  for (const row of rows) {
    const relationship = parseRelationship(row.replace(' gone', ''))
    graph.add(row.endsWith(' gone') ? { ...relationship, expiresAt: now } : relationship)
  }
  const { resource, relation: permission, subject } = parseRelationship(text)
  return check(schema, graph, { resource, permission, subject, context }, { now, withTrace: true })
}

const [view, both, every] = ['document:d#view@user:u', 'document:d#both@user:u', 'document:d#every@user:u']
test.each([
  ['a grant by a relationship', ['document:d#viewer@user:u'], view, 'relationship'],
  ['a grant by a group', ['document:d#viewer@group:g#member', 'group:g#member@user:u'], view, 'relationship'],
  ['a grant by a folder', ['document:d#folder@folder:f', 'folder:f#viewer@user:u'], view, 'relationship'],
  ['a grant by a wildcard', ['document:d#viewer@user:*'], view, 'wildcard'],
  [
    'a grant by an intersection with a wildcard',
    ['document:d#viewer@user:*', 'document:d#signed@user:u'],
    both,
    'wildcard',
  ],
  ['a grant by a caveat that holds', ['document:d#viewer@user:u[day:{"day":"fri"}]'], view, 'condition-holds'],
  [
    'a grant by a group with a caveat that holds',
    ['document:d#viewer@group:g#member', 'group:g#member@group:h#member[day:{"day":"fri"}]', 'group:h#member@user:u'],
    view,
    'condition-holds',
  ],
  ['a check of an object on itself', [], 'user:u#own@user:u', 'itself'],
  ['a check of a userset on itself', [], 'document:d#view@document:d#view', 'itself'],
  ['a denial without relationships', [], view, 'no-relationship'],
  ['a denial beside a relationship of another subject', ['document:d#viewer@user:v'], view, 'no-relationship'],
  ['a denial by an exclusion', ['document:d#viewer@user:u', 'document:d#banned@user:u'], view, 'excluded'],
  ['a denial without the base of an exclusion', ['document:d#banned@user:u'], view, 'no-relationship'],
  ['a denial with only the second operand', ['document:d#signed@user:u'], both, 'not-all'],
  ['a denial with only the first operand', ['document:d#viewer@user:u'], both, 'not-all'],
  [
    'a denial with one folder of two',
    ['document:d#folder@folder:a', 'document:d#folder@folder:b', 'folder:a#viewer@user:u'],
    every,
    'not-all',
  ],
  ['a denial by a caveat that fails', ['document:d#viewer@user:u[day:{"day":"mon"}]'], view, 'condition-fails'],
  [
    'a denial by a folder with a caveat that fails',
    ['document:d#folder@folder:f[day:{"day":"mon"}]', 'folder:f#viewer@user:u'],
    view,
    'condition-fails',
  ],
  ['a denial by an expired relationship', ['document:d#viewer@user:u gone'], view, 'expired'],
  ['a conditional result', ['document:d#viewer@user:u[day]'], view, 'context-missing'],
])('finds the reason for %s', (_, rows, request, reason) => {
  expect(checkRows(rows, request).reason).toBe(reason)
})

test('a check without a trace has no reason', () => {
  const { resource, relation: permission, subject } = parseRelationship(view)
  expect(check(schema, new MemoryGraph(), { resource, permission, subject }, { now })).not.toHaveProperty('reason')
})

test('a visited cycle is the reason for a denial', () => {
  const graph = new MemoryGraph()
  for (const row of ['group:a#member@group:b#member', 'group:b#member@group:a#member'])
    graph.add(parseRelationship(row))
  const { resource, relation: permission, subject } = parseRelationship('group:a#member@user:u')
  const request = { resource, permission, subject }
  expect(check(schema, graph, request, { now, withTrace: true, cycles: 'visited' }).reason).toBe('circle')
})

const id = fc.constantFrom('a', 'b')
const caveat = fc.constantFrom('', '', '[day]', '[day:{"day":"fri"}]', '[day:{"day":"mon"}]')
const rows = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom('document:d#viewer@user:*', 'document:d#banned@group:b#member', 'document:d#viewer@group:a#member'),
    fc
      .tuple(fc.constantFrom('viewer', 'signed', 'banned'), caveat)
      .map(([name, text]) => `document:d#${name}@user:u${text}`),
    fc.tuple(id, caveat).map(([group, text]) => `group:${group}#member@user:u${text}`),
    caveat.map((text) => `group:a#member@group:b#member${text}`),
    fc.tuple(id, caveat).map(([folder, text]) => `document:d#folder@folder:${folder}${text}`),
    fc.tuple(id, caveat).map(([folder, text]) => `folder:${folder}#viewer@user:u${text}`),
    fc.tuple(id, id).map(([folder, group]) => `folder:${folder}#viewer@group:${group}#member`),
  ),
  { maxLength: 10, selector: (text) => text.split('[')[0] },
)
const permissions = fc.constantFrom('view', 'both', 'every', 'outer')
const contexts = fc.record({ day: fc.constantFrom('fri', 'mon') }, { requiredKeys: [] })

test('the reason matches the result and the relationships', () => {
  const seenReasons = new Set<string>()
  fc.assert(
    fc.property(rows, permissions, contexts, (rows, permission, context) => {
      const checkAgain = (rows: readonly string[], context = {}) =>
        checkRows(rows, `document:d#${permission}@user:u`, context)
      const { permissionship, reason } = checkAgain(rows, context)
      seenReasons.add(reason as string)
      expect(reasons[permissionship]).toContain(reason)
      const bare = rows.map((row) => row.replace(/\[.*/, ''))
      if (reason === 'no-relationship') expect(checkAgain(bare).permissionship).toBe('noPermission')
      if (permission !== 'view') return
      // Here the exclusion is the root, and no nested one exists.
      const unbanned = checkAgain(
        rows.filter((row) => !row.includes('#banned')),
        context,
      )
      expect(reason === 'excluded').toBe(
        permissionship === 'noPermission' && unbanned.permissionship !== 'noPermission',
      )
    }),
    { numRuns: numRuns * 10 },
  )
  expect(seenReasons.size).toBeGreaterThanOrEqual(8)
})
