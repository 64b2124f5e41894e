import type { Consistency } from '@passport/permissions/engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepSchemas } from './schemas.ts'
import { atSnapshot } from './sql-graph.ts'
import { anotherPool, one, openEngine, questionOf, startEngine, updatesOf } from './test-engines.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

/** Both graphs answer the same, errors among it, now and as it was at any moment. */

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

const questions = [
  'team#member',
  'team#anyone',
  'folder#view',
  'document#edit',
  'document#view',
  'document#open',
].flatMap((permission) =>
  ['user:aaa', 'user:bbb', 'team:aaa#member'].flatMap((subject) => {
    const [type, name] = permission.split('#')
    return [questionOf(`${type}:aaa#${name}@${subject}`), questionOf(`${type}:bbb#${name}@${subject}`)]
  }),
)

const codeOf = (error: { code?: string }) => ({ fault: error.code ?? String(error) })

test('the graph of the database and that in memory agree', { timeout: 120_000 }, async () => {
  const { sql, engine } = await startEngine(schema)
  const pool = await anotherPool(sql)
  const schemas = keepSchemas()
  const moments: { token: string; answers: unknown[] }[] = []

  const askAll = async (consistency: Consistency) => {
    const { answers } = await engine.checkBulk(questions, { consistency })
    const found = []
    for (const { permission, resource, subject } of questions.filter((_, at) => at % 2 === 0)) {
      found.push(
        await engine
          .lookupResources({ resourceType: resource.type, permission, subject, limit: 100 }, { consistency })
          // In memory circles count that are not on the way to what is asked.
          .then(({ items }) => items, codeOf),
        await engine
          .lookupSubjects({ resource, permission, subjectType: 'user', limit: 100 }, { consistency })
          // Whether a circle is met on the way hangs on what is looked at first.
          .then(({ items }) => items, codeOf),
      )
    }
    return [answers.map((answer) => ('fault' in answer ? answer.fault.code : answer)), found]
  }

  await fc.assert(
    fc.asyncProperty(commits, async (all) => {
      for (const updates of all) {
        const { writtenAt } = await engine.writeRelationships(updatesOf(...updates))
        moments.push({ token: writtenAt, answers: await askAll({ kind: 'minimizeLatency' }) })
      }
      for (const { token, answers } of [...moments.slice(-4, -1), ...moments.slice(0, 1)])
        expect(await askAll({ kind: 'atExactSnapshot', token })).toEqual(answers)
      const last = moments.at(-1)?.answers
      const early = openEngine(pool)
      const bulk = await early.checkBulk(questions)
      await early.close()
      expect(bulk.answers.map((answer) => ('fault' in answer ? answer.fault.code : answer))).toEqual(last?.[0])
    }),
    { numRuns: numRuns / 25 },
  )
  await engine.writeRelationships(updatesOf('~team:aaa#member@user:aaa'))
  const asked = questionOf('team:aaa#member@user:aaa')
  await expect(
    atSnapshot(sql, schemas, undefined, ({ forCheck }) => forCheck(asked), 0).then((graph) => graph.size),
  ).rejects.toMatchObject({ code: 'graph-too-large' })
})

test('of a large group only what leads to the subject is fetched', async () => {
  const { sql, engine } = await startEngine(schema)
  const relationships = Array.from({ length: 2000 }, (_, at) => one(`team:aaa#member@user:u${at}`))
  await engine.load({ relationships: [...relationships, one('folder:aaa#viewer@team:aaa#anyone')] })
  const fetched = await atSnapshot(sql, keepSchemas(), undefined, ({ forCheck }) =>
    forCheck(questionOf('folder:aaa#view@user:u7')),
  )
  expect(fetched.size).toBe(2)
})
