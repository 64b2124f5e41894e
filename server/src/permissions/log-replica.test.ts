import type { WatchEvent } from '@passport/permissions'
import { parseRelationship } from '@passport/permissions'
import { expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import { holdTransaction } from '../test-hold.ts'
import * as commitStore from './commit-store.ts'
import type { EmbeddedEngine } from './engine.ts'
import { keyOf, toRelationship, toRow } from './rows.ts'
import * as store from './store.ts'
import {
  formatRelationships,
  openLoadedEngine,
  openPool,
  parseCheck,
  parseUpdates,
  startEngine,
} from './test-engines.ts'

const schema = `definition user {}
definition document {
  relation viewer: user
}`

const writers = 4
let runs = 0
const rounds = 60
const allRows = { limit: 1000 }

/** A seeded pseudo-random generator: the same in every run. */
function createRandom(seed: number) {
  let state = seed
  return (randomBelow: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * randomBelow)
  }
}

/** The writes of one process: contended keys, a marker per commit, delays before the commit, and some rollbacks. */
async function writeAtRandom(engine: EmbeddedEngine, sql: Sql, writer: number, committed: string[]) {
  const run = runs
  const randomBelow = createRandom(writer + 1)
  for (let round = 0; round < rounds; round++) {
    const mark = `document:mark${writer}-${run}-${String(round).padStart(4, '0')}#viewer@user:ada`
    const signs = ['~', '-']
    const keys = new Set(Array.from({ length: 1 + randomBelow(3) }, () => randomBelow(8)))
    const updates = [...keys].map((key) => `${signs[randomBelow(2)]}document:key${key}#viewer@user:ada`)
    const isRolledBack = randomBelow(6) === 0
    const work = transaction(sql, async (sql) => {
      for (const text of [...updates.sort((a, b) => (a.slice(1) < b.slice(1) ? -1 : 1)), `+${mark}`]) {
        await change(sql, text)
        await sql`select pg_sleep(${randomBelow(4) / 1000})`
      }
      if (isRolledBack) throw new Error('rolled back on purpose')
    })
    await work.then(
      () => committed.push(mark),
      (error) => {
        if (!isRolledBack) throw error
      },
    )
    if (randomBelow(3) === 0)
      await engine.writeRelationships(parseUpdates(`~document:key${randomBelow(8)}#viewer@user:ada`))
  }
}

/** Bypasses the engine, so that the transaction gets its revision only at commit. */
async function change(sql: Sql, text: string) {
  for (const { operation, relationship } of parseUpdates(text)) {
    if (operation === 'delete') await store.remove(sql, [toRow(relationship)])
    else await store.upsert(sql, 'touch', [toRow(relationship)])
  }
}

type Watch = EmbeddedEngine['watch']

/** Returns a watch that resumes from the highest revision that it has seen, even if earlier ones are missing. */
const watchNaively = (sql: Sql, after: number): Watch =>
  async function* (_from, _filters, signal) {
    let seen = after
    while (!signal.aborted) {
      const commits = new Map<number, WatchEvent>()
      for await (const { rev, changes } of commitStore.readCommits(sql, seen, Number.MAX_SAFE_INTEGER, 1000)) {
        const updates = changes.map((row) => ({
          operation: row.after ? ('touch' as const) : ('delete' as const),
          relationship: toRelationship(row, {}),
        }))
        commits.set(rev, { token: '', updates, isSchemaChange: false })
      }
      yield* commits.values()
      seen = Math.max(seen, ...commits.keys())
    }
  }

/** Writes concurrently, and returns the discrepancies between the watched events, the commits and the stored state. */
async function findDiscrepancies(
  sql: Sql,
  engine: EmbeddedEngine,
  otherEngine: EmbeddedEngine,
  watch: Watch = otherEngine.watch,
): Promise<string[]> {
  runs++
  const { revision } = await engine.status()
  const before = await store.readMatching(sql, {}, allRows)
  const committed: string[][] = Array.from({ length: writers }, () => [])
  const stop = new AbortController()
  const events: WatchEvent[] = []
  const problems: string[] = []
  const watching = (async () => {
    for await (const event of watch(revision, [], stop.signal)) {
      events.push(event)
      if (event.updates.some(({ relationship }) => relationship.resource.id === `end${runs}`)) return
    }
  })().catch((error) => problems.push(`watching failed: ${error.code}`))
  const pools = await Promise.all(committed.map(() => openPool(sql, { maxConnections: 2 })))
  await Promise.all(pools.map((pool, writer) => writeAtRandom(engine, pool, writer, committed[writer] ?? [])))
  await engine.writeRelationships(parseUpdates(`+document:end${runs}#viewer@user:ada`))
  const abortTimer = setTimeout(() => stop.abort(), 5000)
  await watching
  clearTimeout(abortTimer)

  const marks = events.flatMap(({ updates }) =>
    formatRelationships(updates.map(({ relationship }) => relationship)).filter((line) =>
      line.startsWith('document:mark'),
    ),
  )
  for (const [writer, writerMarks] of committed.entries()) {
    const seen = marks.filter((mark) => mark.startsWith(`document:mark${writer}-`))
    if (seen.join() !== writerMarks.join())
      problems.push(`writer ${writer}: ${writerMarks.length} commits, ${seen.length} seen`)
  }
  const replayed = new Set(before.map((row) => keyOf(toRelationship(row, {}))))
  for (const { updates } of events) {
    for (const { operation, relationship } of updates) {
      if (operation === 'touch') replayed.add(keyOf(relationship))
      else replayed.delete(keyOf(relationship))
    }
  }
  const stored = await store.readMatching(sql, {}, allRows)
  const expected = stored.map((row) => keyOf(toRelationship(row, {})))
  if ([...replayed].sort().join() !== expected.sort().join())
    problems.push('the changes do not add up to the stored relationships')
  const { items } = await otherEngine.readRelationships({}, allRows, { consistency: { kind: 'fullyConsistent' } })
  if (items.map(keyOf).sort().join() !== expected.join())
    problems.push('the graph in memory differs from the stored relationships')
  return problems
}

test('a replica receives every commit once and in order', async () => {
  const { sql, engine } = await startEngine(schema)
  const otherEngine = await openLoadedEngine(await openPool(sql))
  expect(await findDiscrepancies(sql, engine, otherEngine)).toEqual([])
  // Revisions are assigned in commit order, so resuming from the highest one is correct.
  const { rev } = await commitStore.readHead(sql)
  expect(await findDiscrepancies(sql, engine, otherEngine, watchNaively(await openPool(sql), rev))).toEqual([])
})

test('the test detects revisions assigned before the commit', async () => {
  const { sql, engine } = await startEngine(schema)
  const otherEngine = await openLoadedEngine(await openPool(sql))
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
  await engine.writeRelationships(parseUpdates('~document:key0#viewer@user:ada'))
  const { rev } = await commitStore.readHead(sql)
  const problems = await findDiscrepancies(sql, engine, otherEngine, watchNaively(sql, rev))
  expect(problems).toContainEqual(expect.stringMatching(/commits, \d+ seen/))
  expect(problems).not.toContainEqual(expect.stringContaining('watching failed'))
})

test('a paused server evaluates at its token, even if the log has been removed', {
  timeout: 60_000,
}, async () => {
  const { sql, engine } = await startEngine(schema)
  const pool = await openPool(sql, { maxConnections: 1 })
  const paused = await openLoadedEngine(pool)
  const request = parseCheck('document:paused#viewer@user:ada')
  for (const isSwept of [false, true]) {
    const release = await holdTransaction(pool)
    const { writtenAt } = await engine.writeRelationships(parseUpdates('+document:paused#viewer@user:ada'))
    const { writtenAt: later } = await engine.writeRelationships(parseUpdates('~document:paused#viewer@user:bob'))
    if (isSwept) {
      await sql`update relationship_commits set at = now() - interval '40 days'`
      await sql`select sweep_relationship_log(31, 100000)`
    }
    expect((await paused.check(request)).permissionship).toBe('noPermission')
    const waiting = paused.check(request, { consistency: { kind: 'atLeastAsFresh', token: writtenAt } })
    const latest = paused.check(parseCheck('document:paused#viewer@user:bob'), {
      consistency: { kind: 'atLeastAsFresh', token: later },
    })
    await release()
    expect((await waiting).permissionship).toBe('hasPermission')
    expect((await latest).permissionship).toBe('hasPermission')
    const { writtenAt: end } = await engine.writeRelationships(parseUpdates('-document:paused#viewer@user:ada'))
    await paused.check(request, { consistency: { kind: 'atLeastAsFresh', token: end } })
  }
})

test('reloads everything after a change too large for the log', async () => {
  const { sql, engine } = await startEngine(schema)
  const otherEngine = await openLoadedEngine(await openPool(sql))
  const { writtenAt } = await engine.writeRelationships(parseUpdates('+document:before#viewer@user:ada'))
  const relationships = Array.from({ length: 100_001 }, (_, index) =>
    parseRelationship(`document:bulk${index}#viewer@user:ada`),
  )
  const { writtenAt: loaded } = await engine.load({ relationships })
  const consistency = { kind: 'atLeastAsFresh' as const, token: loaded }
  expect(await otherEngine.check(parseCheck('document:bulk100000#viewer@user:ada'), { consistency })).toMatchObject({
    permissionship: 'hasPermission',
    checkedAt: loaded,
  })
  await expect(
    otherEngine.check(parseCheck('document:before#viewer@user:ada'), {
      consistency: { kind: 'atExactSnapshot', token: writtenAt },
    }),
  ).rejects.toMatchObject({ code: 'snapshot-gone' })
  const watching = otherEngine.watch(writtenAt, [], AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
  await expect(watching.next()).rejects.toMatchObject({ code: 'snapshot-gone' })
})
