import type { Consistency } from '@passport/permissions'
import { beforeAll, expect, inject, test } from 'vitest'
import { serverRole } from '../database/embedded-roles.ts'
import { openDatabase, type Sql } from '../database/sql.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { createTestDatabase, executeAsSuperuser } from '../test-service.ts'
import { formatRelationships, openLoadedEngine, openPool, parseCheck, parseUpdates } from './test-engines.ts'

/* A restored database reuses revisions; a token never refers to another commit with the same number. */

const schema = 'definition user {}\n\ndefinition document {\n  relation viewer: user\n}'
const viewerRequest = (name: string) => parseCheck(`document:${name}#viewer@user:ada`)
const after = (token: string): { consistency: Consistency } => ({ consistency: { kind: 'atLeastAsFresh', token } })
const at = (token: string): { consistency: Consistency } => ({ consistency: { kind: 'atExactSnapshot', token } })

let backup: string
let original: Sql
let keptToken: string
let lostToken: string
// One write is in the backup, and one came after it.
beforeAll(async () => {
  const first = await createTestDatabase()
  const [row] = await first<{ database: string }[]>`select current_database() as database`
  const database = row?.database ?? ''
  const engine = await openLoadedEngine(first)
  await engine.writeSchema(schema)
  keptToken = (await engine.writeRelationships(parseUpdates('+document:kept#viewer@user:ada'))).writtenAt
  await engine.close()
  await first.end()
  backup = `${database}_backup`
  const socketDirectory = inject('socketDirectory')
  const creation = `create database ${backup} owner ${serverRole} template ${database} strategy file_copy`
  await executeAsSuperuser('postgres', creation)
  original = openDatabase({ socketDirectory, database, user: serverRole })
  onFileEnd(() => original.end({ timeout: 1 }))
  lostToken = (
    await (await openLoadedEngine(original)).writeRelationships(parseUpdates('+document:lost#viewer@user:ada'))
  ).writtenAt
})

test('a lost token is rejected, and a token from before the backup stays valid', async () => {
  const sql = openDatabase({ socketDirectory: inject('socketDirectory'), database: backup, user: serverRole })
  onFileEnd(() => sql.end({ timeout: 1 }))
  const engine = await openLoadedEngine(sql)
  const otherEngine = await openLoadedEngine(await openPool(sql))
  // Until something is written, that revision does not exist yet.
  await expect(engine.check(viewerRequest('lost'), after(lostToken))).rejects.toMatchObject({ code: 'not-caught-up' })

  const { writtenAt: newToken } = await engine.writeRelationships(parseUpdates('+document:since#viewer@user:ada'))
  const splitToken = (token: string) => Buffer.from(token, 'base64url').toString().split('.')
  expect(splitToken(newToken)[1]).toBe(splitToken(lostToken)[1])
  expect(splitToken(newToken)[0]).not.toBe(splitToken(lostToken)[0])
  for (const reopened of [engine, otherEngine, await openLoadedEngine(await openPool(sql))]) {
    await expect(reopened.check(viewerRequest('since'), after(newToken))).resolves.toMatchObject({
      permissionship: 'hasPermission',
    })
    await expect(reopened.check(viewerRequest('lost'), after(lostToken))).rejects.toMatchObject({
      code: 'token-invalid',
    })
    await expect(reopened.check(viewerRequest('lost'), at(lostToken))).rejects.toMatchObject({ code: 'token-invalid' })
    await expect(reopened.check(viewerRequest('kept'), after(keptToken))).resolves.toMatchObject({
      permissionship: 'hasPermission',
    })
    const { items } = await reopened.readRelationships({ resourceType: 'document' }, { limit: 10 }, at(keptToken))
    expect(formatRelationships(items)).toEqual(['document:kept#viewer@user:ada'])
    const watching = reopened.watch(lostToken, [], AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
    await expect(watching.next()).rejects.toMatchObject({ code: 'token-invalid' })
    const next = await reopened.watch(keptToken, [], AbortSignal.timeout(10_000))[Symbol.asyncIterator]().next()
    expect(next.value?.token).toBe(newToken)
  }
  const [head] = await sql<{ former: Record<string, number> }[]>`select former from relationship_head`
  expect(Object.values(head?.former ?? {})).toEqual(expect.arrayContaining([Number(splitToken(keptToken)[1])]))
  const epoch = splitToken(newToken)[0]
  const { writtenAt } = await engine.writeRelationships(parseUpdates('+document:more#viewer@user:ada'))
  expect(splitToken(writtenAt)[0]).toBe(epoch)
})

test('a new epoch after a restore of files makes a running server reload', async () => {
  const engine = await openLoadedEngine(original)
  expect(await engine.check(viewerRequest('lost'))).toMatchObject({ permissionship: 'hasPermission' })
  // Simulates a lost last commit and a new one with the same revision.
  await original.begin(async (sql) => {
    await sql`select set_config('passport.relationship_retention', 'on', true)`
    const [last] = await sql<{ id: string }[]>`select id from relationship_commits order by rev desc limit 1`
    await sql`alter table stored_relationships disable trigger user`
    await sql`delete from stored_relationships where resource_id = 'lost'`
    await sql`alter table stored_relationships enable trigger user`
    await sql`delete from relationship_changes where commit_id = ${last?.id ?? ''}`
    await sql`delete from relationship_commits where id = ${last?.id ?? ''}`
    await sql`update relationship_head set rev = rev - 1`
    await sql`select begin_relationship_epoch()`
  })
  const otherEngine = await openLoadedEngine(await openPool(original))
  const { writtenAt } = await otherEngine.writeRelationships(parseUpdates('+document:fresh#viewer@user:ada'))
  expect(await engine.check(viewerRequest('fresh'), after(writtenAt))).toMatchObject({
    permissionship: 'hasPermission',
  })
  expect(await engine.check(viewerRequest('lost'))).toMatchObject({ permissionship: 'noPermission' })
  await expect(engine.check(viewerRequest('lost'), after(lostToken))).rejects.toMatchObject({ code: 'token-invalid' })
  await expect(engine.check(viewerRequest('kept'), after(keptToken))).resolves.toMatchObject({
    permissionship: 'hasPermission',
  })
})

test('keeps the epoch if PostgreSQL does not reveal its position', async () => {
  const sql = await createTestDatabase()
  const readOrigin = async () =>
    (await sql<{ origin: string | null }[]>`select relationship_origin() as origin`)[0]?.origin
  expect(await readOrigin()).toMatch(/^\d+\/[0-9A-F]{8}\/\d+\/\d+$/)
  const revocation = 'revoke execute on function pg_control_system() from public'
  await executeAsSuperuser(sql.options.database ?? '', revocation)
  expect(await readOrigin()).toBeNull()
  const epoch = async () => (await sql<{ epoch: string }[]>`select epoch from relationship_head`)[0]?.epoch
  const before = await epoch()
  await sql`create or replace function relationship_origin() returns text language sql as 'select null'`
  const engine = await openLoadedEngine(sql)
  await engine.writeSchema(schema)
  expect(await epoch()).toBe(before)
})
