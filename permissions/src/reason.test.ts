import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from './check.ts'
import { compileSchema } from './compile.ts'
import { MemoryGraph } from './memory-graph.ts'
import { reasons } from './reason.ts'
import { parseRelationship } from './relationship-text.ts'

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

function ask(rows: readonly string[], text: string, context = {}) {
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
  ['a relationship', ['document:d#viewer@user:u'], view, 'relationship'],
  ['by a group', ['document:d#viewer@group:g#member', 'group:g#member@user:u'], view, 'relationship'],
  ['by a folder', ['document:d#folder@folder:f', 'folder:f#viewer@user:u'], view, 'relationship'],
  ['everyone', ['document:d#viewer@user:*'], view, 'wildcard'],
  ['both, one of everyone', ['document:d#viewer@user:*', 'document:d#signed@user:u'], both, 'wildcard'],
  ['a caveat that holds', ['document:d#viewer@user:u[day:{"day":"fri"}]'], view, 'condition-holds'],
  [
    'a group under a caveat that holds',
    ['document:d#viewer@group:g#member', 'group:g#member@group:h#member[day:{"day":"fri"}]', 'group:h#member@user:u'],
    view,
    'condition-holds',
  ],
  ['itself', [], 'user:u#own@user:u', 'itself'],
  ['its own set', [], 'document:d#view@document:d#view', 'itself'],
  ['nothing', [], view, 'no-relationship'],
  ['of another', ['document:d#viewer@user:v'], view, 'no-relationship'],
  ['a ban', ['document:d#viewer@user:u', 'document:d#banned@user:u'], view, 'excluded'],
  ['a ban of what is not there', ['document:d#banned@user:u'], view, 'no-relationship'],
  ['the other side', ['document:d#signed@user:u'], both, 'not-all'],
  ['one side', ['document:d#viewer@user:u'], both, 'not-all'],
  [
    'one folder of two',
    ['document:d#folder@folder:a', 'document:d#folder@folder:b', 'folder:a#viewer@user:u'],
    every,
    'not-all',
  ],
  ['a caveat that fails', ['document:d#viewer@user:u[day:{"day":"mon"}]'], view, 'condition-fails'],
  [
    'a folder under one',
    ['document:d#folder@folder:f[day:{"day":"mon"}]', 'folder:f#viewer@user:u'],
    view,
    'condition-fails',
  ],
  ['what has run out', ['document:d#viewer@user:u gone'], view, 'expired'],
  ['a caveat without its value', ['document:d#viewer@user:u[day]'], view, 'context-missing'],
])('%s', (_, rows, question, reason) => {
  expect(ask(rows, question).reason).toBe(reason)
})

test('without a trace none is told', () => {
  const { resource, relation: permission, subject } = parseRelationship(view)
  expect(check(schema, new MemoryGraph(), { resource, permission, subject }, { now })).not.toHaveProperty('reason')
})

test('a circle that counts as no', () => {
  const graph = new MemoryGraph()
  for (const row of ['group:a#member@group:b#member', 'group:b#member@group:a#member'])
    graph.add(parseRelationship(row))
  const { resource, relation: permission, subject } = parseRelationship('group:a#member@user:u')
  const question = { resource, permission, subject }
  expect(check(schema, graph, question, { now, withTrace: true, cycles: 'visited' }).reason).toBe('circle')
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

test('the reason is one of the answer, and of what it rests on', () => {
  const told = new Set<string>()
  fc.assert(
    fc.property(rows, permissions, contexts, (rows, permission, context) => {
      const of = (rows: readonly string[], context = {}) => ask(rows, `document:d#${permission}@user:u`, context)
      const { permissionship, reason } = of(rows, context)
      told.add(reason as string)
      expect(reasons[permissionship]).toContain(reason)
      const bare = rows.map((row) => row.replace(/\[.*/, ''))
      if (reason === 'no-relationship') expect(of(bare).permissionship).toBe('noPermission')
      if (permission !== 'view') return
      // There the exclusion is the whole of it, and nothing below has another.
      const unbanned = of(
        rows.filter((row) => !row.includes('#banned')),
        context,
      )
      expect(reason === 'excluded').toBe(
        permissionship === 'noPermission' && unbanned.permissionship !== 'noPermission',
      )
    }),
    { numRuns: numRuns * 10 },
  )
  expect(told.size).toBeGreaterThanOrEqual(8)
})
