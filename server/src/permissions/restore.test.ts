import type { Consistency } from '@passport/permissions/engine'
import { beforeAll, expect, inject, test } from 'vitest'
import { openDatabase, type Sql } from '../database/sql.ts'
import { atTheEnd } from '../test-endings.ts'
import { createTestDatabase } from '../test-service.ts'
import { anotherPool, engineOn, lines, questionOf, updatesOf } from './test-engines.ts'

/** A database that was put back from a backup gives numbers a second time; a token never names what is not its moment. */

const schema = 'definition user {}\n\ndefinition document {\n  relation viewer: user\n}'
const hasOf = (name: string) => questionOf(`document:${name}#viewer@user:ada`)
const after = (token: string): { consistency: Consistency } => ({ consistency: { kind: 'atLeastAsFresh', token } })
const at = (token: string): { consistency: Consistency } => ({ consistency: { kind: 'atExactSnapshot', token } })

let backup: string
let original: Sql
let kept: string
let lost: string
/** One write is in the backup, and one came after it. */
beforeAll(async () => {
  const first = await createTestDatabase()
  const [row] = await first<{ database: string }[]>`select current_database() as database`
  const database = row?.database ?? ''
  const engine = await engineOn(first)
  await engine.writeSchema(schema)
  kept = (await engine.writeRelationships(updatesOf('+document:kept#viewer@user:ada'))).writtenAt
  await engine.close()
  await first.end()
  backup = `${database}_backup`
  const socketDirectory = inject('socketDirectory')
  const admin = openDatabase({ socketDirectory, database: 'postgres', user: 'passport' }, { maxConnections: 1 })
  await admin.unsafe(`create database ${backup} template ${database} strategy file_copy`)
  await admin.end()
  original = openDatabase({ socketDirectory, database, user: 'passport' })
  atTheEnd(() => original.end({ timeout: 1 }))
  lost = (await (await engineOn(original)).writeRelationships(updatesOf('+document:lost#viewer@user:ada'))).writtenAt
})

test('of a token that was lost nothing is answered, and one from before the backup goes on being good', async () => {
  const sql = openDatabase({ socketDirectory: inject('socketDirectory'), database: backup, user: 'passport' })
  atTheEnd(() => sql.end({ timeout: 1 }))
  const engine = await engineOn(sql)
  const other = await engineOn(await anotherPool(sql))
  // Before anything is written there is no such moment yet.
  await expect(engine.check(hasOf('lost'), after(lost))).rejects.toMatchObject({ code: 'not-caught-up' })

  const { writtenAt: since } = await engine.writeRelationships(updatesOf('+document:since#viewer@user:ada'))
  const numberOf = (token: string) => Buffer.from(token, 'base64url').toString().split('.')
  expect(numberOf(since)[1]).toBe(numberOf(lost)[1])
  expect(numberOf(since)[0]).not.toBe(numberOf(lost)[0])
  for (const one of [engine, other, await engineOn(await anotherPool(sql))]) {
    await expect(one.check(hasOf('since'), after(since))).resolves.toMatchObject({ permissionship: 'hasPermission' })
    await expect(one.check(hasOf('lost'), after(lost))).rejects.toMatchObject({ code: 'token-invalid' })
    await expect(one.check(hasOf('lost'), at(lost))).rejects.toMatchObject({ code: 'token-invalid' })
    await expect(one.check(hasOf('kept'), after(kept))).resolves.toMatchObject({ permissionship: 'hasPermission' })
    const { items } = await one.readRelationships({ resourceType: 'document' }, { limit: 10 }, at(kept))
    expect(lines(items)).toEqual(['document:kept#viewer@user:ada'])
    const watching = one.watch(lost, {}, AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
    await expect(watching.next()).rejects.toMatchObject({ code: 'token-invalid' })
    const next = await one.watch(kept, {}, AbortSignal.timeout(10_000))[Symbol.asyncIterator]().next()
    expect(next.value?.token).toBe(since)
  }
  const [head] = await sql<{ former: Record<string, number> }[]>`select former from relationship_head`
  expect(Object.values(head?.former ?? {})).toEqual(expect.arrayContaining([Number(numberOf(kept)[1])]))
  const epoch = numberOf(since)[0]
  const { writtenAt } = await engine.writeRelationships(updatesOf('+document:more#viewer@user:ada'))
  expect(numberOf(writtenAt)[0]).toBe(epoch)
})

test('where files were put back somebody has to say so, and a server that runs meanwhile reads all anew', async () => {
  const engine = await engineOn(original)
  expect(await engine.check(hasOf('lost'))).toMatchObject({ permissionship: 'hasPermission' })
  // As the last commit undone would leave it, and one that takes its number.
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
  const other = await engineOn(await anotherPool(original))
  const { writtenAt } = await other.writeRelationships(updatesOf('+document:anew#viewer@user:ada'))
  expect(await engine.check(hasOf('anew'), after(writtenAt))).toMatchObject({ permissionship: 'hasPermission' })
  expect(await engine.check(hasOf('lost'))).toMatchObject({ permissionship: 'noPermission' })
  await expect(engine.check(hasOf('lost'), after(lost))).rejects.toMatchObject({ code: 'token-invalid' })
  await expect(engine.check(hasOf('kept'), after(kept))).resolves.toMatchObject({ permissionship: 'hasPermission' })
})

test('where PostgreSQL does not tell where it is the epoch stays', async () => {
  const sql = await createTestDatabase()
  const role = `plain_${crypto.randomUUID().slice(0, 8)}`
  await sql.unsafe(`create role ${role}`)
  await sql`revoke execute on function pg_control_system() from public`
  const [told] = await sql<{ origin: string }[]>`select relationship_origin() as origin`
  expect(told?.origin).toMatch(/^\d+\/[0-9A-F]{8}\/\d+\/\d+$/)
  const untold = await sql.begin(async (sql) => {
    await sql.unsafe(`set local role ${role}`)
    return sql<{ origin: string | null }[]>`select relationship_origin() as origin`
  })
  expect([...untold]).toEqual([{ origin: null }])
  const epoch = async () => (await sql<{ epoch: string }[]>`select epoch from relationship_head`)[0]?.epoch
  const before = await epoch()
  await sql`create or replace function relationship_origin() returns text language sql as 'select null'`
  const engine = await engineOn(sql)
  await engine.writeSchema(schema)
  expect(await epoch()).toBe(before)
})
