import { setTimeout as delay } from 'node:timers/promises'
import type { Consistency, WatchEvent } from '@passport/permissions'
import { parseRelationship } from '@passport/permissions'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import {
  documents,
  formatRelationships,
  openEngine,
  openLoadedEngine,
  openPool,
  parseCheck,
  parseUpdates,
  startEngine,
} from './test-engines.ts'
import { encodeToken } from './token.ts'

const has = { permissionship: 'hasPermission' }
const lacks = { permissionship: 'noPermission' }

const fully = { consistency: { kind: 'fullyConsistent' as const } }

describe('consistency', async () => {
  const { engine: localEngine, sql } = await startEngine(documents)
  const otherEngine = await openLoadedEngine(await openPool(sql))

  test('a server reads the write of another by its token', async () => {
    for (let i = 0; i < 20; i++) {
      const { writtenAt } = await localEngine.writeRelationships(parseUpdates(`+document:far${i}#viewer@user:ada`))
      const consistency: Consistency = { kind: 'atLeastAsFresh', token: writtenAt }
      expect(await otherEngine.check(parseCheck(`document:far${i}#view@user:ada`), { consistency })).toMatchObject(has)
    }
  })

  test('fullyConsistent reads the latest write', async () => {
    for (let i = 0; i < 20; i++) {
      await localEngine.writeRelationships(parseUpdates(`+document:new${i}#viewer@user:ada`))
      expect(await otherEngine.check(parseCheck(`document:new${i}#view@user:ada`), fully)).toMatchObject(has)
    }
  })

  test('exact snapshots use the relationships and the schema of their revision', async () => {
    const first = await localEngine.writeRelationships(parseUpdates('+document:snap#viewer@user:ada'))
    const second = await localEngine.writeRelationships(
      parseUpdates('-document:snap#viewer@user:ada', '+document:snap#viewer@user:bob[expiration:2999-01-01T00:00:00Z]'),
    )
    await localEngine.writeRelationships(
      parseUpdates('-document:snap#viewer@user:bob', '+document:snap#viewer@team:all#member'),
    )
    const third = await localEngine.writeSchema(
      documents.replace('permission view = viewer + parent->view', 'permission view = nil'),
    )
    const fourth = await localEngine.writeSchema(documents)
    const resultsAt = async (token: string) => {
      const at = { consistency: { kind: 'atExactSnapshot' as const, token } }
      return [
        (await otherEngine.check(parseCheck('document:snap#view@user:ada'), at)).permissionship === 'hasPermission',
        (await otherEngine.check(parseCheck('document:snap#view@user:bob'), at)).permissionship === 'hasPermission',
        (await otherEngine.check(parseCheck('document:snap#view@team:all#member'), at)).permissionship ===
          'hasPermission',
        (await otherEngine.readRelationships({ resourceId: 'snap' }, { limit: 10 }, at)).items.length,
      ]
    }
    expect(await resultsAt(first.writtenAt)).toEqual([true, false, false, 1])
    expect(await resultsAt(second.writtenAt)).toEqual([false, true, false, 1])
    expect(await resultsAt(third.writtenAt)).toEqual([false, false, false, 1])
    expect(await resultsAt(fourth.writtenAt)).toEqual([false, false, true, 1])
  })

  test('rejects foreign, future and expired tokens', async () => {
    const request = parseCheck('document:a#view@user:ada')
    const { checkedAt } = await localEngine.check(request, fully)
    const checkWith = (kind: 'atExactSnapshot' | 'atLeastAsFresh', token: string) =>
      localEngine.check(request, { consistency: { kind, token } })
    await expect(checkWith('atLeastAsFresh', 'nonsense')).rejects.toMatchObject({ code: 'token-invalid' })
    await expect(checkWith('atExactSnapshot', encodeToken('0'.repeat(32), 1))).rejects.toMatchObject({
      code: 'token-invalid',
    })
    const [epoch] = Buffer.from(checkedAt, 'base64url').toString().split('.')
    await expect(checkWith('atExactSnapshot', encodeToken(epoch ?? '', 1e6))).rejects.toMatchObject({
      code: 'not-caught-up',
    })
    await localEngine.writeRelationships(parseUpdates('+document:a#viewer@user:ada'))
    expect(await checkWith('atExactSnapshot', checkedAt)).toMatchObject({ ...lacks, checkedAt })
    await sql`update relationship_commits set at = now() - interval '40 days'`
    const [swept] = await sql<{ commits: number }[]>`select sweep_relationship_log(31, 100000) as commits`
    expect(swept?.commits).toBeGreaterThan(1)
    await expect(checkWith('atExactSnapshot', checkedAt)).rejects.toMatchObject({ code: 'snapshot-gone' })
    expect(await checkWith('atLeastAsFresh', checkedAt)).toMatchObject(has)
  })

  test('rejects a token whose revision is not reached in time', async () => {
    const { checkedAt } = await localEngine.check(parseCheck('document:a#view@user:ada'))
    const [epoch] = Buffer.from(checkedAt, 'base64url').toString().split('.')
    const consistency: Consistency = { kind: 'atLeastAsFresh', token: encodeToken(epoch ?? '', 1e6) }
    await expect(localEngine.check(parseCheck('document:a#view@user:ada'), { consistency })).rejects.toMatchObject({
      code: 'not-caught-up',
    })
  })

  test('checks run against the database until the relationships are loaded', async () => {
    const { writtenAt } = await localEngine.writeRelationships(parseUpdates('~document:early#viewer@user:ada'))
    const early = openEngine(await openPool(sql))
    const request = parseCheck('document:early#view@user:ada')
    const results = await Promise.all([
      early.check(request),
      early.check(request, { consistency: { kind: 'atLeastAsFresh', token: writtenAt } }),
      early.check(request, fully),
    ])
    for (const result of results) expect(result).toMatchObject({ ...has, checkedAt: writtenAt })
  })
})

test('finds relationships that expire soon among many, in memory and in the database', async () => {
  const { engine } = await startEngine(documents)
  const soon = Date.now() + 3_600_000
  const permanent = Array.from({ length: 2500 }, (_, index) => parseRelationship(`document:d${index}#viewer@user:ada`))
  const expiring = ['document:d1#viewer@user:bob', 'document:e#viewer@user:bob', 'document:f#viewer@user:bob']
  const relationships = [...permanent, ...expiring.map((line) => ({ ...parseRelationship(line), expiresAt: soon }))]
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

describe('a watch', async () => {
  const { engine, sql } = await startEngine(documents)

  test('delivers every commit once and in order, including from a token', async () => {
    const stop = new AbortController()
    const { revision } = await engine.status()
    const seen: WatchEvent[] = []
    const watching = (async () => {
      for await (const event of engine.watch(revision, [{ resourceType: 'folder' }], stop.signal)) {
        seen.push(event)
        if (seen.length === 3) stop.abort()
      }
    })()
    await engine.writeRelationships(parseUpdates('+folder:a#viewer@user:ada', '+document:a#viewer@user:ada'))
    await engine.writeRelationships(parseUpdates('+document:b#viewer@user:ada'))
    const second = await engine.writeRelationships(
      parseUpdates('~folder:a#viewer@user:bob', '-folder:a#viewer@user:ada'),
    )
    await engine.writeSchema(`${documents}\ndefinition another {}`)
    await watching
    expect(seen.map(({ isSchemaChange }) => isSchemaChange)).toEqual([false, false, true])
    expect(seen[0]?.updates).toEqual([
      { operation: 'touch', relationship: parseRelationship('folder:a#viewer@user:ada') },
    ])
    expect(seen[1]?.token).toBe(second.writtenAt)
    const operations = seen[1]?.updates.map(({ operation, relationship }) => [
      operation,
      formatRelationships([relationship])[0],
    ])
    expect(operations?.sort()).toEqual([
      ['delete', 'folder:a#viewer@user:ada'],
      ['touch', 'folder:a#viewer@user:bob'],
    ])
    for await (const event of engine.watch(seen[0]?.token, [], AbortSignal.timeout(10_000))) {
      expect(event.updates[0]?.relationship).toEqual(parseRelationship('document:b#viewer@user:ada'))
      break
    }
  })

  test('rejects a token older than the retention period', async () => {
    const { revision } = await engine.status()
    await engine.writeRelationships(parseUpdates('~folder:gone#viewer@user:ada'))
    await sql`update relationship_commits set at = now() - interval '40 days'`
    await sql`select sweep_relationship_log(31, 100000)`
    const watching = engine.watch(revision, [], AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
    await expect(watching.next()).rejects.toMatchObject({ code: 'snapshot-gone' })
  })
})

describe('the schema', async () => {
  const { engine } = await startEngine(documents)

  test("always includes the directory's part, which can be resubmitted unchanged but not edited", async () => {
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

  test('is rejected if stored relationships do not fit it', async () => {
    await engine.writeRelationships(
      parseUpdates(
        '+document:s1#viewer@user:ada',
        '+document:s2#viewer@user:ada',
        '+document:s1#viewer@team:t1#member',
      ),
    )
    await expect(
      engine.writeSchema(documents.replace('viewer: user | team#member |', 'viewer: user |')),
    ).rejects.toMatchObject({
      code: 'schema-in-use',
      message: '1 relationship is not allowed by the new schema: 1 of document#viewer with team#member.',
    })
    await expect(engine.writeSchema('definition user {}')).rejects.toMatchObject({ code: 'schema-in-use' })
    await engine.writeSchema(documents.replace(' | passport/group#member', ''))
    await engine.writeSchema(documents)
  })

  test('never changes together with a conflicting concurrent write', async () => {
    const schemaWithoutBan = documents.replace('  relation banned: user\n', '').replace(' - banned', '')
    for (let round = 0; round < 10; round++) {
      const [written, changed] = await Promise.allSettled([
        engine.writeRelationships(parseUpdates('~folder:race#banned@user:ada')),
        engine.writeSchema(schemaWithoutBan),
      ])
      expect([written.status, changed.status].sort()).toEqual(['fulfilled', 'rejected'])
      const failure = [written, changed].find((result) => result.status === 'rejected')
      expect(failure?.reason.code).toMatch(/^(schema-in-use|unknown-relation)$/)
      await engine.writeSchema(documents)
      await engine.writeRelationships(parseUpdates('-folder:race#banned@user:ada'))
    }
  })
})

describe('other operations', async () => {
  const { engine } = await startEngine(documents)

  test('whatIf evaluates hypothetical changes without writing them', async () => {
    await engine.writeRelationships(parseUpdates('+folder:what#viewer@user:*', '+document:what#parent@folder:what'))
    const hypothetical = engine.whatIf({
      add: [parseRelationship('folder:what#banned@user:eve')],
      remove: [parseRelationship('folder:what#viewer@user:nobody')],
    })
    expect(await hypothetical.check(parseCheck('document:what#view@user:eve'))).toMatchObject(lacks)
    expect(await hypothetical.check(parseCheck('document:what#view@user:ada'))).toMatchObject(has)
    expect(await engine.check(parseCheck('document:what#view@user:eve'))).toMatchObject(has)
    expect((await engine.readRelationships({ resourceId: 'what' }, { limit: 10 })).items).toHaveLength(2)
  })

  test('load writes relationships at one revision that status counts by type and completeIds finds', async () => {
    const relationships = Array.from({ length: 3000 }, (_, index) =>
      parseRelationship(`document:load${index}#viewer@user:ada`),
    )
    const { writtenAt } = await engine.load({ relationships })
    const { counts, revision, lag } = await engine.status()
    expect([revision, lag]).toEqual([writtenAt, { commits: 0, milliseconds: 0 }])
    expect(counts).toContainEqual({ type: 'document', relationships: 3001 })
    expect(await engine.completeIds('document', 'load29', 3)).toEqual(['load29', 'load290', 'load2900'])
  })

  test('load keeps the last of several entries for the same relationship', async () => {
    const duplicates = ['2041', '2042', '2043'].map((year) =>
      parseRelationship(`document:often#viewer@user:ada[expiration:${year}-01-01T00:00:00Z]`),
    )
    await engine.load({ relationships: duplicates })
    const { items } = await engine.readRelationships({ resourceId: 'often' }, { limit: 10 })
    expect(items).toEqual(duplicates.slice(-1))
    await engine.deleteRelationships({ resourceId: 'often' })
  })

  test('lookups and reads page without duplicates', async () => {
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
    expect(new Set(formatRelationships([...first.items, ...next.items])).size).toBe(20)
    await expect(
      engine.readRelationships({ subjectId: 'bob' }, { limit: 10, cursor: first.cursor ?? '' }),
    ).rejects.toMatchObject({ code: 'cursor-mismatch', field: 'cursor' })
  })
})

test("a cycle is an error, or has no permission with `cycles: 'visited'`", async () => {
  const { engine, sql } = await startEngine(documents)
  await engine.writeRelationships(
    parseUpdates('+team:a#member@team:b#member', '+team:b#member@team:a#member', '+document:x#viewer@team:a#member'),
  )
  const request = parseCheck('document:x#view@user:ada')
  const resourcesRequest = {
    resourceType: 'document',
    permission: 'view',
    subject: { type: 'user', id: 'ada' },
    limit: 10,
  }
  const checkInBulk = async (target: typeof engine) => (await target.checkBulk([request])).results
  const cycleError = { code: 'cycle' }
  await expect(engine.check(request)).rejects.toMatchObject(cycleError)
  expect(await engine.lookupResources(resourcesRequest)).toMatchObject({ items: [] })

  const visited = await openLoadedEngine(sql, 'visited')
  expect(await visited.check(request)).toMatchObject(lacks)
  expect(await checkInBulk(visited)).toMatchObject([lacks])
  expect(await visited.whatIf({}).check(request)).toMatchObject(lacks)

  const strict = await openLoadedEngine(sql, 'error')
  await expect(strict.check(request)).rejects.toMatchObject(cycleError)
  expect(await checkInBulk(strict)).toMatchObject([{ error: cycleError }])
  const subjectsRequest = { resource: request.resource, permission: 'view', subjectType: 'user', limit: 10 }
  await expect(strict.lookupSubjects(subjectsRequest)).rejects.toMatchObject(cycleError)
})

test('the engine recovers from a lost database connection', async () => {
  const { sql } = await startEngine(documents)
  const pool = await openPool(sql)
  const engine = await openLoadedEngine(pool)
  const writer = await openLoadedEngine(await openPool(sql))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await delay(0)
  const write = () => writer.writeRelationships(parseUpdates('~document:back#viewer@user:ada'))
  const { writtenAt } = await write().catch(write)
  const checkAfterWrite = () =>
    engine.check(parseCheck('document:back#view@user:ada'), {
      consistency: { kind: 'atLeastAsFresh', token: writtenAt },
    })
  expect(await checkAfterWrite()).toMatchObject(has)
})

test('an engine on an empty database denies checks of directory objects', async () => {
  const engine = openEngine(await createTestDatabase())
  expect(await engine.check(parseCheck('passport/role:Passport/Admin#member@passport/user:nobody'))).toMatchObject(
    lacks,
  )
})
