import type { Consistency } from '@passport/permissions'
import { parseRelationship } from '@passport/permissions'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSchemaCache } from './directory-schema.ts'
import { withSnapshot } from './sql-graph.ts'
import { openEngine, openPool, parseCheck, parseUpdates, startEngine } from './test-engines.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

/* Both graphs give the same results and errors, now and at any past revision. */

const schema = `use expiration
use self

definition user {}

caveat weekday(day string) {
  day == "monday"
}

definition team {
  relation member: user | team#member | team#lead
  relation lead: user with weekday
  permission anyone = member + lead + self
}

definition folder {
  relation parent: folder
  relation viewer: user | team#anyone | user:* with weekday
  relation banned: user | team#member
  permission view = viewer + parent->view - banned
}

definition document {
  relation parent: folder
  relation owner: user | team#member with expiration
  relation reader: user | user:* | document#owner
  permission edit = owner & reader
  permission view = reader + owner + parent.all(view)
  permission open = view - edit
}`

const relations: [resource: string, relation: string, subjects: string[]][] = [
  ['team', 'member', ['user', 'team#member', 'team#lead']],
  ['team', 'lead', ['user[weekday]', 'user[weekday:{"day":"monday"}]']],
  ['folder', 'parent', ['folder']],
  ['folder', 'viewer', ['user', 'team#anyone', 'user:*[weekday]']],
  ['folder', 'banned', ['user', 'team#member']],
  ['document', 'parent', ['folder']],
  [
    'document',
    'owner',
    ['user', 'team#member[expiration:2999-01-01T00:00:00Z]', 'team#member[expiration:2001-01-01T00:00:00Z]'],
  ],
  ['document', 'reader', ['user', 'user:*', 'document#owner']],
]

const id = fc.constantFrom('aaa', 'bbb', 'ccc')
const line = fc
  .tuple(fc.constantFrom(...relations), id, fc.nat(), id)
  .map(([[type, relation, subjects], resource, at, subject]) => {
    const [, kind, rest] = /^([a-z]+(?::\*)?)(.*)$/.exec(subjects[at % subjects.length] ?? '') ?? []
    return `${type}:${resource}#${relation}@${kind}${kind?.endsWith('*') ? '' : `:${subject}`}${rest}`
  })
const update = fc.tuple(fc.constantFrom('~', '~', '~', '-'), line).map(([sign, text]) => sign + text)
const commits = fc.array(
  fc.uniqueArray(update, { minLength: 1, maxLength: 8, selector: (text) => text.slice(1).replace(/\[.*/, '') }),
  {
    minLength: 1,
    maxLength: 5,
  },
)

const requests = [
  'team#member',
  'team#anyone',
  'folder#view',
  'document#edit',
  'document#view',
  'document#open',
].flatMap((permission) =>
  ['user:aaa', 'user:bbb', 'team:aaa#member'].flatMap((subject) => {
    const [type, name] = permission.split('#')
    return [parseCheck(`${type}:aaa#${name}@${subject}`), parseCheck(`${type}:bbb#${name}@${subject}`)]
  }),
)

interface Failure {
  error: string
}
interface Results {
  checks: unknown[]
  lookups: unknown[]
}

const toFailure = (error: { code?: string }): Failure => ({ error: error.code ?? String(error) })
const isCycle = (lookup: unknown) => (lookup as Partial<Failure>).error === 'cycle'

/** Does not compare lookups with a cycle: the order of evaluation decides whether one below an exclusion is reached. */
function expectAgreement(actual: Results, expected: Results) {
  expect(actual.checks).toEqual(expected.checks)
  const compared = actual.lookups
    .map((_, index) => index)
    .filter((index) => ![actual, expected].some(({ lookups }) => isCycle(lookups[index])))
  expect(compared.map((index) => actual.lookups[index])).toEqual(compared.map((index) => expected.lookups[index]))
}

test('the graphs in the database and in memory give the same results', { timeout: 120_000 }, async () => {
  const { sql, engine } = await startEngine(schema)
  const pool = await openPool(sql)
  const schemas = createSchemaCache()
  const revisions: { token: string; results: Results }[] = []

  const evaluateAll = async (consistency: Consistency): Promise<Results> => {
    const { results } = await engine.checkBulk(requests, { consistency })
    const lookups: unknown[] = []
    for (const { permission, resource, subject } of requests.filter((_, index) => index % 2 === 0)) {
      lookups.push(
        await engine
          .lookupResources({ resourceType: resource.type, permission, subject, limit: 100 }, { consistency })
          .then(({ items }) => items, toFailure),
        await engine
          .lookupSubjects({ resource, permission, subjectType: 'user', limit: 100 }, { consistency })
          .then(({ items }) => items, toFailure),
      )
    }
    return { checks: results.map((result) => ('error' in result ? result.error.code : result)), lookups }
  }

  await fc.assert(
    fc.asyncProperty(commits, async (batches) => {
      for (const updates of batches) {
        const { writtenAt } = await engine.writeRelationships(parseUpdates(...updates))
        revisions.push({ token: writtenAt, results: await evaluateAll({ kind: 'minimizeLatency' }) })
      }
      for (const { token, results } of [...revisions.slice(-4, -1), ...revisions.slice(0, 1)])
        expectAgreement(await evaluateAll({ kind: 'atExactSnapshot', token }), results)
      const last = revisions.at(-1)?.results
      const early = openEngine(pool)
      const bulk = await early.checkBulk(requests)
      await early.close()
      expect(bulk.results.map((result) => ('error' in result ? result.error.code : result))).toEqual(last?.checks)
    }),
    { numRuns: numRuns / 25 },
  )
  await engine.writeRelationships(parseUpdates('~team:aaa#member@user:aaa'))
  const request = parseCheck('team:aaa#member@user:aaa')
  await expect(
    withSnapshot(sql, schemas, undefined, ({ fetchFrom }) => fetchFrom(request), 0).then((graph) => graph.size),
  ).rejects.toMatchObject({ code: 'graph-too-large' })
})

test('fetches only the path to the subject from a large group', async () => {
  const { sql, engine } = await startEngine(schema)
  const relationships = Array.from({ length: 2000 }, (_, index) => parseRelationship(`team:aaa#member@user:u${index}`))
  await engine.load({ relationships: [...relationships, parseRelationship('folder:aaa#viewer@team:aaa#anyone')] })
  const fetched = await withSnapshot(sql, createSchemaCache(), undefined, ({ fetchFrom }) =>
    fetchFrom(parseCheck('folder:aaa#view@user:u7')),
  )
  expect(fetched.size).toBe(2)
})
