import type { WatchEvent } from '@passport/permissions/engine'
import { expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import type { EmbeddedEngine } from './embedded.ts'
import { keyOf, relationshipOf, rowOf } from './rows.ts'
import * as store from './store.ts'
import { anotherPool, engineOn, lines, one, questionOf, startEngine, updatesOf } from './test-engines.ts'

const schema = `definition user {}
definition document {
  relation viewer: user
}`

const writers = 4
let runs = 0
const rounds = 60
const everything = { limit: 1000 }

/** Numbers that the writers draw: the same in every run. */
function draw(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Writes of one process: some keys that all fight for, a mark of each commit, pauses before the end, some undone. */
async function writeAtRandom(engine: EmbeddedEngine, sql: Sql, writer: number, committed: string[]) {
  const run = runs
  const below = draw(writer + 1)
  for (let round = 0; round < rounds; round++) {
    const mark = `document:mark${writer}-${run}-${String(round).padStart(4, '0')}#viewer@user:ada`
    const signs = ['~', '-']
    const keys = new Set(Array.from({ length: 1 + below(3) }, () => below(8)))
    const updates = [...keys].map((key) => `${signs[below(2)]}document:key${key}#viewer@user:ada`)
    const isUndone = below(6) === 0
    const work = transaction(sql, async (sql) => {
      for (const text of [...updates.sort((a, b) => (a.slice(1) < b.slice(1) ? -1 : 1)), `+${mark}`]) {
        await change(sql, text)
        await sql`select pg_sleep(${below(4) / 1000})`
      }
      if (isUndone) throw new Error('undone')
    })
    await work.then(
      () => committed.push(mark),
      (error) => {
        if (!isUndone) throw error
      },
    )
    if (below(3) === 0) await engine.writeRelationships(updatesOf(`~document:key${below(8)}#viewer@user:ada`))
  }
}

/** Without the engine, so that a transaction gets its number at its commit alone. */
async function change(sql: Sql, text: string) {
  for (const { operation, relationship } of updatesOf(text)) {
    if (operation === 'delete') await store.remove(sql, [rowOf(relationship)])
    else await store.put(sql, [rowOf(relationship)])
  }
}

type Watch = EmbeddedEngine['watch']

/** Reads on from the greatest number that it saw, whatever is missing before that. */
const watchNaively = (sql: Sql): Watch =>
  async function* (_from, _filter, signal) {
    let seen = (await commitStore.readHead(sql)).rev
    while (!signal.aborted) {
      const commits = new Map<number, WatchEvent>()
      for await (const rows of commitStore.readLog(sql, seen, Number.MAX_SAFE_INTEGER, 1000)) {
        for (const row of rows) {
          const commit = commits.get(row.rev) ?? { token: '', updates: [], isSchemaChange: false }
          commits.set(row.rev, commit)
          if (!row.isChange) continue
          const operation = row.after ? 'touch' : 'delete'
          commit.updates.push({ operation, relationship: relationshipOf(row, {}) })
        }
      }
      yield* commits.values()
      seen = Math.max(seen, ...commits.keys())
    }
  }

/** What is wrong with what a watcher was told, beside what was committed and what is there at the end. */
async function problemsOf(
  sql: Sql,
  engine: EmbeddedEngine,
  other: EmbeddedEngine,
  watch: Watch = other.watch,
): Promise<string[]> {
  runs++
  const { revision } = await engine.status()
  const before = await store.readMatching(sql, {}, everything)
  const committed: string[][] = Array.from({ length: writers }, () => [])
  const stop = new AbortController()
  const events: WatchEvent[] = []
  const problems: string[] = []
  const watching = (async () => {
    for await (const event of watch(revision, {}, stop.signal)) {
      events.push(event)
      if (event.updates.some(({ relationship }) => relationship.resource.id === `end${runs}`)) return
    }
  })().catch((error) => problems.push(`watching failed: ${error.code}`))
  const pools = await Promise.all(committed.map(() => anotherPool(sql, { maxConnections: 2 })))
  await Promise.all(pools.map((pool, writer) => writeAtRandom(engine, pool, writer, committed[writer] ?? [])))
  await engine.writeRelationships(updatesOf(`+document:end${runs}#viewer@user:ada`))
  const patience = setTimeout(() => stop.abort(), 5000)
  await watching
  clearTimeout(patience)

  const marks = events.flatMap(({ updates }) =>
    lines(updates.map(({ relationship }) => relationship)).filter((line) => line.startsWith('document:mark')),
  )
  for (const [writer, own] of committed.entries()) {
    const seen = marks.filter((mark) => mark.startsWith(`document:mark${writer}-`))
    if (seen.join() !== own.join()) problems.push(`writer ${writer}: ${own.length} commits, ${seen.length} seen`)
  }
  const replayed = new Set(before.map((row) => keyOf(relationshipOf(row, {}))))
  for (const { updates } of events) {
    for (const { operation, relationship } of updates) {
      if (operation === 'touch') replayed.add(keyOf(relationship))
      else replayed.delete(keyOf(relationship))
    }
  }
  const stored = await store.readMatching(sql, {}, everything)
  const truth = stored.map((row) => keyOf(relationshipOf(row, {})))
  if ([...replayed].sort().join() !== truth.sort().join()) problems.push('the changes do not add up to what is there')
  const { items } = await other.readRelationships({}, everything, { consistency: { kind: 'fullyConsistent' } })
  if (items.map(keyOf).sort().join() !== truth.join()) problems.push('the graph in memory is not what is there')
  return problems
}

test('whoever follows misses nothing and sees every commit in its place', async () => {
  const { sql, engine } = await startEngine(schema)
  const other = await engineOn(await anotherPool(sql))
  expect(await problemsOf(sql, engine, other)).toEqual([])
  // With numbers in the order of the commits the greatest one that was seen would do.
  expect(await problemsOf(sql, engine, other, watchNaively(await anotherPool(sql)))).toEqual([])
})

test('that test sees where numbers are taken before the commit', async () => {
  const { sql, engine } = await startEngine(schema)
  const other = await engineOn(await anotherPool(sql))
  await sql.unsafe(`
    create sequence naive start 100;
    drop trigger relationship_commits_numbered on relationship_commits;
    create or replace function number_relationship_commit() returns trigger language plpgsql as $$
    begin
      update relationship_commits set rev = nextval('naive'), at = now() where id = new.id;
      perform pg_notify('relationships', '');
      return null;
    end $$;
    create constraint trigger relationship_commits_numbered after insert on relationship_commits
      deferrable for each row execute function number_relationship_commit();
    alter table relationship_head rename to first_head;
    create view relationship_head as select epoch, former, (select max(rev) from relationship_commits) as rev, schema_id,
      horizon from first_head`)
  await engine.writeRelationships(updatesOf('~document:key0#viewer@user:ada'))
  const problems = await problemsOf(sql, engine, other, watchNaively(sql))
  expect(problems).toContainEqual(expect.stringMatching(/commits, \d+ seen/))
  expect(problems).not.toContainEqual(expect.stringContaining('watching failed'))
})

test('a server that was paused answers from after its token, also where the log is gone meanwhile', {
  timeout: 60_000,
}, async () => {
  const { sql, engine } = await startEngine(schema)
  const pool = await anotherPool(sql, { maxConnections: 1 })
  const paused = await engineOn(pool)
  const question = questionOf('document:paused#viewer@user:ada')
  for (const isSwept of [false, true]) {
    const hold = await pool.reserve()
    const { writtenAt } = await engine.writeRelationships(updatesOf('+document:paused#viewer@user:ada'))
    const { writtenAt: later } = await engine.writeRelationships(updatesOf('~document:paused#viewer@user:bob'))
    if (isSwept) {
      await sql`update relationship_commits set at = now() - interval '40 days'`
      await sql`select sweep_relationship_log(31, 100000)`
    }
    expect((await paused.check(question)).permissionship).toBe('noPermission')
    const waiting = paused.check(question, { consistency: { kind: 'atLeastAsFresh', token: writtenAt } })
    const latest = paused.check(questionOf('document:paused#viewer@user:bob'), {
      consistency: { kind: 'atLeastAsFresh', token: later },
    })
    hold.release()
    expect((await waiting).permissionship).toBe('hasPermission')
    expect((await latest).permissionship).toBe('hasPermission')
    const { writtenAt: end } = await engine.writeRelationships(updatesOf('-document:paused#viewer@user:ada'))
    await paused.check(question, { consistency: { kind: 'atLeastAsFresh', token: end } })
  }
})

test('what is too much to be told one by one is read anew', async () => {
  const { sql, engine } = await startEngine(schema)
  const other = await engineOn(await anotherPool(sql))
  const { writtenAt } = await engine.writeRelationships(updatesOf('+document:before#viewer@user:ada'))
  const relationships = Array.from({ length: 100_001 }, (_, at) => one(`document:bulk${at}#viewer@user:ada`))
  const { writtenAt: loaded } = await engine.load({ relationships })
  const consistency = { kind: 'atLeastAsFresh' as const, token: loaded }
  expect(await other.check(questionOf('document:bulk100000#viewer@user:ada'), { consistency })).toMatchObject({
    permissionship: 'hasPermission',
    checkedAt: loaded,
  })
  await expect(
    other.check(questionOf('document:before#viewer@user:ada'), {
      consistency: { kind: 'atExactSnapshot', token: writtenAt },
    }),
  ).rejects.toMatchObject({ code: 'snapshot-gone' })
  const watching = other.watch(writtenAt, {}, AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
  await expect(watching.next()).rejects.toMatchObject({ code: 'snapshot-gone' })
})
