import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { check } from '../evaluate/check.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import { parseRelationship } from '../graph/relationship-text.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

const schema = compileSchema(`use self

caveat level(level int, least int) {
  level >= least
}

caveat day(day string) {
  day == "fri" || day == "sat"
}

caveat on(on bool) {
  on
}

definition user {}

definition group {
  relation member: user with on | user with level | group#member | group#member with day
}

definition folder {
  relation viewer: user with day | user | group#member
  permission view = viewer
}

definition document {
  relation folder: folder with on | folder
  relation viewer: user with level | user:* with day | group#member
  relation signed: user with on | user
  relation banned: user with day | group#member | user
  permission view = viewer + folder->view - banned
  permission both = viewer & signed
  permission every = folder.all(view)
  permission outer = view & both - every
}
`)

const createGraph = (rows: readonly string[]) => {
  const graph = new MemoryGraph()
  for (const text of rows) graph.add(parseRelationship(text))
  return graph
}
const now = 0
const checkRows = (rows: readonly string[], permission: string, context = {}) => {
  const request = { resource: { type: 'document', id: 'd' }, permission, subject: { type: 'user', id: 'u' }, context }
  return check(schema, createGraph(rows), request, { now, withResidual: true })
}

test.each([
  [['document:d#viewer@user:u[level:{"least":3}]'], 'view', {}, 'level >= 3'],
  [['document:d#viewer@user:u[level]'], 'view', { level: 2 }, '2 >= least'],
  [
    ['document:d#folder@folder:f[on]', 'folder:f#viewer@user:u[day]'],
    'view',
    {},
    'on && (day == "fri" || day == "sat")',
  ],
  [
    ['document:d#signed@user:u[on]', 'document:d#viewer@user:*[day]'],
    'both',
    { on: true },
    'day == "fri" || day == "sat"',
  ],
  [
    ['document:d#viewer@user:u[level:{"least":3}]', 'document:d#banned@user:u[day]'],
    'view',
    {},
    'level >= 3 && !(day == "fri" || day == "sat")',
  ],
  [
    ['document:d#viewer@group:g#member', 'group:g#member@user:u[on]', 'document:d#banned@group:g#member'],
    'view',
    {},
    'on && !on',
  ],
  [['document:d#viewer@user:u[level:{"least":3}]'], 'view', { level: 3 }, undefined],
])('the residual of %j for %s with %j is %s', (rows, permission, context, expected) => {
  expect(checkRows(rows, permission, context).residual).toBe(expected)
})

const id = fc.constantFrom('a', 'b')
const caveat = fc.constantFrom('[level]', '[level:{"least":1}]', '[level:{"least":2}]')
const rows = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom(
      'document:d#signed@user:u',
      'document:d#signed@user:u[on]',
      'document:d#viewer@user:*[day]',
      'document:d#banned@user:u[day]',
      'document:d#viewer@group:a#member',
      'document:d#banned@group:b#member',
      'group:a#member@group:b#member',
      'group:a#member@group:b#member[day]',
      'group:a#member@user:u[on]',
      'group:b#member@user:u[on]',
    ),
    caveat.map((text) => `document:d#viewer@user:u${text}`),
    fc.tuple(id, caveat).map(([g, text]) => `group:${g}#member@user:u${text}`),
    fc.tuple(id, fc.constantFrom('', '[on]')).map(([f, text]) => `document:d#folder@folder:${f}${text}`),
    fc.tuple(id, fc.constantFrom('', '[day]')).map(([f, text]) => `folder:${f}#viewer@user:u${text}`),
    fc.tuple(id, id).map(([f, g]) => `folder:${f}#viewer@group:${g}#member`),
  ),
  { minLength: 5, maxLength: 14, selector: (text) => text.split('[')[0] },
)
const values = {
  level: fc.integer({ min: 0, max: 3 }),
  least: fc.integer({ min: 0, max: 3 }),
  on: fc.boolean(),
  day: fc.constantFrom('fri', 'mon'),
}

test('the residual has the result of the check for every completion', () => {
  let conditional = 0
  fc.assert(
    fc.property(
      rows,
      fc.constantFrom('view', 'both', 'every', 'outer'),
      fc.record(values, { requiredKeys: [] }),
      fc.record(values),
      (rows, permission, known, completion) => {
        const result = checkRows(rows, permission, known)
        if (result.permissionship !== 'conditional') return
        conditional++
        const fullContext = { ...completion, ...known }
        const names = { level: 'int', least: 'int', on: 'bool', day: 'string' }
        const used = Object.entries(names).filter(([name]) => result.residual?.match(new RegExp(`\\b${name}\\b`)))
        expect(used.map(([name]) => name).filter((name) => name in known)).toEqual([])
        const parameters = used.map(([name, type]) => `${name} ${type}`).join(', ')
        const residualSchema = compileSchema(
          `caveat left(${parameters}) { ${result.residual} }\ndefinition user {}\ndefinition document {\n  relation view: user with left\n}\n`,
        )
        const request = {
          resource: { type: 'document', id: 'd' },
          permission: 'view',
          subject: { type: 'user', id: 'u' },
        }
        const residualAnswer = check(
          residualSchema,
          createGraph(['document:d#view@user:u[left]']),
          { ...request, context: fullContext },
          { now },
        )
        expect(residualAnswer.permissionship, result.residual).toBe(
          checkRows(rows, permission, fullContext).permissionship,
        )
      },
    ),
    { numRuns: numRuns * 10 },
  )
  expect(conditional).toBeGreaterThan(numRuns / 10)
})
