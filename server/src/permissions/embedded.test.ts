import { setTimeout as delay } from 'node:timers/promises'
import type { Consistency, WatchEvent } from '@passport/permissions/engine'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import {
  anotherPool,
  documents,
  engineOn,
  lines,
  one,
  openEngine,
  questionOf,
  startEngine,
  updatesOf,
} from './test-engines.ts'
import { tokenOf } from './token.ts'

const has = { permissionship: 'hasPermission' }
const hasNot = { permissionship: 'noPermission' }

const fully = { consistency: { kind: 'fullyConsistent' as const } }

describe('consistency', async () => {
  const { engine: here, sql } = await startEngine(documents)
  const there = await engineOn(await anotherPool(sql))

  test('a server that did not write knows of it by the token', async () => {
    for (let i = 0; i < 20; i++) {
      const { writtenAt } = await here.writeRelationships(updatesOf(`+document:far${i}#viewer@user:ada`))
      const consistency: Consistency = { kind: 'atLeastAsFresh', token: writtenAt }
      expect(await there.check(questionOf(`document:far${i}#view@user:ada`), { consistency })).toMatchObject(has)
    }
  })

  test('whoever asks for the newest gets it', async () => {
    for (let i = 0; i < 20; i++) {
      await here.writeRelationships(updatesOf(`+document:new${i}#viewer@user:ada`))
      expect(await there.check(questionOf(`document:new${i}#view@user:ada`), fully)).toMatchObject(has)
    }
  })

  test('exact snapshots are as it was, with the schema of then', async () => {
    const first = await here.writeRelationships(updatesOf('+document:snap#viewer@user:ada'))
    const second = await here.writeRelationships(
      updatesOf('-document:snap#viewer@user:ada', '+document:snap#viewer@user:bob[expiration:2999-01-01T00:00:00Z]'),
    )
    await here.writeRelationships(updatesOf('-document:snap#viewer@user:bob', '+document:snap#viewer@team:all#member'))
    const third = await here.writeSchema(
      documents.replace('permission view = viewer + parent->view', 'permission view = nil'),
    )
    const fourth = await here.writeSchema(documents)
    const seen = async (token: string) => {
      const at = { consistency: { kind: 'atExactSnapshot' as const, token } }
      return [
        (await there.check(questionOf('document:snap#view@user:ada'), at)).permissionship === 'hasPermission',
        (await there.check(questionOf('document:snap#view@user:bob'), at)).permissionship === 'hasPermission',
        (await there.check(questionOf('document:snap#view@team:all#member'), at)).permissionship === 'hasPermission',
        (await there.readRelationships({ resourceId: 'snap' }, { limit: 10 }, at)).items.length,
      ]
    }
    expect(await seen(first.writtenAt)).toEqual([true, false, false, 1])
    expect(await seen(second.writtenAt)).toEqual([false, true, false, 1])
    expect(await seen(third.writtenAt)).toEqual([false, false, false, 1])
    expect(await seen(fourth.writtenAt)).toEqual([false, false, true, 1])
  })

  test('tokens of others, of what is not there and of what is forgotten are refused', async () => {
    const question = questionOf('document:a#view@user:ada')
    const { checkedAt } = await here.check(question, fully)
    const ask = (kind: 'atExactSnapshot' | 'atLeastAsFresh', token: string) =>
      here.check(question, { consistency: { kind, token } })
    await expect(ask('atLeastAsFresh', 'nonsense')).rejects.toMatchObject({ code: 'token-invalid' })
    await expect(ask('atExactSnapshot', tokenOf('0'.repeat(32), 1))).rejects.toMatchObject({ code: 'token-invalid' })
    const [epoch] = Buffer.from(checkedAt, 'base64url').toString().split('.')
    await expect(ask('atExactSnapshot', tokenOf(epoch ?? '', 1e6))).rejects.toMatchObject({ code: 'not-caught-up' })
    await here.writeRelationships(updatesOf('+document:a#viewer@user:ada'))
    expect(await ask('atExactSnapshot', checkedAt)).toMatchObject({ ...hasNot, checkedAt })
    await sql`update relationship_commits set at = now() - interval '40 days'`
    const [swept] = await sql<{ commits: number }[]>`select sweep_relationship_log(31, 100000) as commits`
    expect(swept?.commits).toBeGreaterThan(1)
    await expect(ask('atExactSnapshot', checkedAt)).rejects.toMatchObject({ code: 'snapshot-gone' })
    expect(await ask('atLeastAsFresh', checkedAt)).toMatchObject(has)
  })

  test('a token that does not come is refused after a while', async () => {
    const { checkedAt } = await here.check(questionOf('document:a#view@user:ada'))
    const [epoch] = Buffer.from(checkedAt, 'base64url').toString().split('.')
    const consistency: Consistency = { kind: 'atLeastAsFresh', token: tokenOf(epoch ?? '', 1e6) }
    await expect(here.check(questionOf('document:a#view@user:ada'), { consistency })).rejects.toMatchObject({
      code: 'not-caught-up',
    })
  })

  test('before all is in memory the database answers', async () => {
    const { writtenAt } = await here.writeRelationships(updatesOf('~document:early#viewer@user:ada'))
    const early = openEngine(await anotherPool(sql))
    const question = questionOf('document:early#view@user:ada')
    const answers = await Promise.all([
      early.check(question),
      early.check(question, { consistency: { kind: 'atLeastAsFresh', token: writtenAt } }),
      early.check(question, fully),
    ])
    for (const answer of answers) expect(answer).toMatchObject({ ...has, checkedAt: writtenAt })
  })
})

test('what runs out soon is found among many, in memory and in the database', async () => {
  const { engine } = await startEngine(documents)
  const soon = Date.now() + 3_600_000
  const lasting = Array.from({ length: 2500 }, (_, at) => one(`document:d${at}#viewer@user:ada`))
  const running = ['document:d1#viewer@user:bob', 'document:e#viewer@user:bob', 'document:f#viewer@user:bob']
  const relationships = [...lasting, ...running.map((line) => ({ ...one(line), expiresAt: soon }))]
  await engine.load({ relationships })
  const { readAt: token } = await engine.readRelationships({}, { limit: 1 })
  for (const kind of ['atLeastAsFresh', 'atExactSnapshot'] as const) {
    const options = { consistency: { kind, token } }
    const read = async (page: { expiresBefore: number; cursor?: string }) => {
      const { items, cursor } = await engine.readRelationships(
        { resourceType: 'document' },
        { limit: 2, ...page },
        options,
      )
      return { found: items.map(({ resource }) => resource.id), ...(cursor !== undefined && { cursor }) }
    }
    const first = await read({ expiresBefore: soon + 1 })
    expect(first.found).toEqual(['d1', 'e'])
    expect(await read({ expiresBefore: soon + 1, cursor: first.cursor ?? '' })).toEqual({ found: ['f'] })
    expect(await read({ expiresBefore: soon })).toEqual({ found: [] })
  }
})

describe('watching', async () => {
  const { engine, sql } = await startEngine(documents)

  test('tells every commit once and in order, also from a token on', async () => {
    const stop = new AbortController()
    const { revision } = await engine.status()
    const seen: WatchEvent[] = []
    const watching = (async () => {
      for await (const event of engine.watch(revision, { resourceTypes: ['folder'] }, stop.signal)) {
        seen.push(event)
        if (seen.length === 3) stop.abort()
      }
    })()
    await engine.writeRelationships(updatesOf('+folder:a#viewer@user:ada', '+document:a#viewer@user:ada'))
    await engine.writeRelationships(updatesOf('+document:b#viewer@user:ada'))
    const second = await engine.writeRelationships(updatesOf('~folder:a#viewer@user:bob', '-folder:a#viewer@user:ada'))
    await engine.writeSchema(`${documents}\ndefinition another {}`)
    await watching
    expect(seen.map(({ isSchemaChange }) => isSchemaChange)).toEqual([false, false, true])
    expect(seen[0]?.updates).toEqual([{ operation: 'touch', relationship: one('folder:a#viewer@user:ada') }])
    expect(seen[1]?.token).toBe(second.writtenAt)
    const told = seen[1]?.updates.map(({ operation, relationship }) => [operation, lines([relationship])[0]])
    expect(told?.sort()).toEqual([
      ['delete', 'folder:a#viewer@user:ada'],
      ['touch', 'folder:a#viewer@user:bob'],
    ])
    for await (const event of engine.watch(seen[0]?.token, {}, AbortSignal.timeout(10_000))) {
      expect(event.updates[0]?.relationship).toEqual(one('document:b#viewer@user:ada'))
      break
    }
  })

  test('from before what is kept is refused', async () => {
    const { revision } = await engine.status()
    await engine.writeRelationships(updatesOf('~folder:gone#viewer@user:ada'))
    await sql`update relationship_commits set at = now() - interval '40 days'`
    await sql`select sweep_relationship_log(31, 100000)`
    const watching = engine.watch(revision, {}, AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
    await expect(watching.next()).rejects.toMatchObject({ code: 'snapshot-gone' })
  })
})

describe('the schema', async () => {
  const { engine } = await startEngine(documents)

  test('always holds the part of the directory, which can be sent back and not be changed', async () => {
    const { text } = await engine.readSchema()
    expect(text).toContain('definition passport/role')
    await engine.writeSchema(text)
    expect((await engine.readSchema()).text).toBe(text)
    await expect(engine.writeSchema(text.replace('manage = owner + admin', 'manage = owner'))).rejects.toMatchObject({
      code: 'schema-invalid',
      message: expect.stringContaining('passport/org'),
    })
    await expect(engine.writeSchema('definition passport/thing {}')).rejects.toMatchObject({ code: 'schema-invalid' })
    expect((await engine.readSchema()).text).toBe(text)
  })

  test('keeps what relationships stand on', async () => {
    await engine.writeRelationships(
      updatesOf('+document:s1#viewer@user:ada', '+document:s2#viewer@user:ada', '+document:s1#viewer@team:t1#member'),
    )
    await expect(
      engine.writeSchema(documents.replace('viewer: user | team#member |', 'viewer: user |')),
    ).rejects.toMatchObject({
      code: 'schema-in-use',
      message: 'There is 1 relationship with nothing to stand on then: 1 of document#viewer with team#member.',
    })
    await expect(engine.writeSchema('definition user {}')).rejects.toMatchObject({ code: 'schema-in-use' })
    await engine.writeSchema(documents.replace(' | passport/group#member', ''))
    await engine.writeSchema(documents)
  })

  test('and a write that was checked against another are not both done', async () => {
    const without = documents.replace('  relation banned: user\n', '').replace(' - banned', '')
    for (let round = 0; round < 10; round++) {
      const [written, changed] = await Promise.allSettled([
        engine.writeRelationships(updatesOf('~folder:race#banned@user:ada')),
        engine.writeSchema(without),
      ])
      expect([written.status, changed.status].sort()).toEqual(['fulfilled', 'rejected'])
      const failure = [written, changed].find((result) => result.status === 'rejected')
      expect(failure?.reason.code).toMatch(/^(schema-in-use|unknown-relation)$/)
      await engine.writeSchema(documents)
      await engine.writeRelationships(updatesOf('-folder:race#banned@user:ada'))
    }
  })
})

describe('tools', async () => {
  const { engine } = await startEngine(documents)

  test('answer as if something were otherwise, and leave it as it is', async () => {
    await engine.writeRelationships(updatesOf('+folder:what#viewer@user:*', '+document:what#parent@folder:what'))
    const supposed = engine.suppose({
      add: [one('folder:what#banned@user:eve')],
      remove: [one('folder:what#viewer@user:nobody')],
    })
    expect(await supposed.check(questionOf('document:what#view@user:eve'))).toMatchObject(hasNot)
    expect(await supposed.check(questionOf('document:what#view@user:ada'))).toMatchObject(has)
    expect(await engine.check(questionOf('document:what#view@user:eve'))).toMatchObject(has)
    expect((await engine.readRelationships({ resourceId: 'what' }, { limit: 10 })).items).toHaveLength(2)
  })

  test('load many at one moment, count them by type, and complete ids', async () => {
    const relationships = Array.from({ length: 3000 }, (_, at) => one(`document:load${at}#viewer@user:ada`))
    const { writtenAt } = await engine.load({ relationships })
    const { counts, revision, lag } = await engine.status()
    expect([revision, lag]).toEqual([writtenAt, { commits: 0, milliseconds: 0 }])
    expect(counts).toContainEqual({ type: 'document', relationships: 3001 })
    expect(await engine.completeIds('document', 'load29', 3)).toEqual(['load29', 'load290', 'load2900'])
  })

  test('load of each relationship what was told of it last', async () => {
    const often = ['2041', '2042', '2043'].map((year) =>
      one(`document:often#viewer@user:ada[expiration:${year}-01-01T00:00:00Z]`),
    )
    await engine.load({ relationships: often })
    const { items } = await engine.readRelationships({ resourceId: 'often' }, { limit: 10 })
    expect(items).toEqual(often.slice(-1))
    await engine.deleteRelationships({ resourceId: 'often' })
  })

  test('page through lookups and relationships without repeating any', async () => {
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await engine.lookupResources({
        resourceType: 'document',
        permission: 'view',
        subject: { type: 'user', id: 'ada' },
        limit: 700,
        ...(cursor !== undefined && { cursor }),
      })
      pages.push(page.items.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(pages.map(({ length }) => length)).toEqual([700, 700, 700, 700, 201])
    expect(new Set(pages.flat()).size).toBe(3001)
    const first = await engine.readRelationships({ subjectId: 'ada' }, { limit: 10 })
    const next = await engine.readRelationships({ subjectId: 'ada' }, { limit: 10, cursor: first.cursor ?? '' })
    expect(new Set(lines([...first.items, ...next.items])).size).toBe(20)
    await expect(
      engine.readRelationships({ subjectId: 'bob' }, { limit: 10, cursor: first.cursor ?? '' }),
    ).rejects.toMatchObject({ code: 'cursor-mismatch', field: 'cursor' })
  })
})

test('a circle is a fault or counts as no, by the setting', async () => {
  const { engine, sql } = await startEngine(documents)
  await engine.writeRelationships(
    updatesOf('+team:a#member@team:b#member', '+team:b#member@team:a#member', '+document:x#viewer@team:a#member'),
  )
  const question = questionOf('document:x#view@user:ada')
  const found = { resourceType: 'document', permission: 'view', subject: { type: 'user', id: 'ada' }, limit: 10 }
  const ofBulk = async (of: typeof engine) => (await of.checkBulk([question])).answers
  const refused = { code: 'cycle' }
  await expect(engine.check(question)).rejects.toMatchObject(refused)
  expect(await engine.lookupResources(found)).toMatchObject({ items: [] })

  const visited = await engineOn(sql, 'visited')
  expect(await visited.check(question)).toMatchObject(hasNot)
  expect(await ofBulk(visited)).toMatchObject([hasNot])
  expect(await visited.suppose({}).check(question)).toMatchObject(hasNot)

  const strict = await engineOn(sql, 'error')
  await expect(strict.check(question)).rejects.toMatchObject(refused)
  expect(await ofBulk(strict)).toMatchObject([{ fault: refused }])
  const whose = { resource: question.resource, permission: 'view', subjectType: 'user', limit: 10 }
  await expect(strict.lookupSubjects(whose)).rejects.toMatchObject(refused)
})

test('an engine whose database is gone for a while comes back', async () => {
  const { sql } = await startEngine(documents)
  const pool = await anotherPool(sql)
  const engine = await engineOn(pool)
  const writer = await engineOn(await anotherPool(sql))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await delay(0)
  const write = () => writer.writeRelationships(updatesOf('~document:back#viewer@user:ada'))
  const { writtenAt } = await write().catch(write)
  const ask = () =>
    engine.check(questionOf('document:back#view@user:ada'), {
      consistency: { kind: 'atLeastAsFresh', token: writtenAt },
    })
  expect(await ask()).toMatchObject(has)
})

test('an empty database answers about the directory', async () => {
  const engine = openEngine(await createTestDatabase())
  expect(await engine.check(questionOf('passport/role:Passport/Admin#member@passport/user:nobody'))).toMatchObject(
    hasNot,
  )
})
