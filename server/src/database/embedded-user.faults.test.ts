import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { homeOf, pathsOf } from './embedded-home.ts'
import { serverRole, superuser } from './embedded-roles.ts'
import { openDatabase } from './sql.ts'
import { expectRowsKept, useTestDirectory } from './test-embedded.ts'
import { expectPlainRole, restoreFormerRoles } from './test-former-roles.ts'

const directory = useTestDirectory()

describe('as root, the embedded PostgreSQL', () => {
  const isRoot = process.getuid?.() === 0

  test.runIf(isRoot).for([65534, 60954])('adopts the tables of the former user id %i, once', async (former) => {
    await expectRowsKept(directory.dataDir, 0)
    const { tables } = pathsOf(directory.dataDir)
    expect(spawnSync('chown', ['-R', `${former}:${former}`, homeOf(directory.dataDir)]).status).toBe(0)
    const notices: string[] = []
    const start = async () => {
      const postgres = await startEmbeddedPostgres(directory.dataDir, { onNotice: (line) => notices.push(line) })
      await postgres.stop()
    }
    await start()
    await start()
    const { uid } = lstatSync(tables)
    expect(notices).toEqual([expect.stringContaining(`${tables} now belongs to the user id ${uid}`)])
    expect([former, 0]).not.toContain(uid)
    const owners = readdirSync(tables, { recursive: true }).map((name) => lstatSync(join(tables, String(name))).uid)
    expect(new Set(owners)).toEqual(new Set([uid]))
    await expectRowsKept(directory.dataDir, 1)
  })

  test.runIf(isRoot)('gives a copy of a data directory a user id of its own', async () => {
    await expectRowsKept(directory.dataDir, 0)
    const copy = `${directory.dataDir}-copy`
    onTestFinished(() => rmSync(copy, { recursive: true }))
    expect(spawnSync('cp', ['-a', directory.dataDir, copy]).status).toBe(0)
    await expectRowsKept(copy, 1)
    await expectRowsKept(directory.dataDir, 1)
    const idOf = (dataDir: string) => lstatSync(pathsOf(dataDir).tables).uid
    expect(idOf(copy)).not.toBe(idOf(directory.dataDir))
    // A directory that was moved keeps its id.
    const moved = `${directory.dataDir}-moved`
    const id = idOf(copy)
    renameSync(copy, moved)
    onTestFinished(() => rmSync(moved, { recursive: true }))
    await expectRowsKept(moved, 2)
    expect(idOf(moved)).toBe(id)
    mkdirSync(copy)
  })
})

test('a start completes a change of roles that was interrupted', async () => {
  await expectRowsKept(directory.dataDir, 0)
  const interrupt = async (user: string, statement: string) => {
    const postgres = await startEmbeddedPostgres(directory.dataDir)
    const sql = openDatabase({ ...postgres.address, user, database: 'postgres' })
    await sql.unsafe(statement)
    await sql.end()
    await postgres.stop()
  }
  // After the change, before its role is deleted.
  await interrupt(superuser, 'create role passport_upgrade superuser login')
  await expectRowsKept(directory.dataDir, 1)
  // After the role was created, before its database.
  await interrupt(superuser, `drop database ${serverRole}`)
  await expectRowsKept(directory.dataDir, 0)
  // Before the superuser of an earlier release was renamed.
  await restoreFormerRoles(directory.dataDir, 'create role passport_upgrade superuser login')
  await expectRowsKept(directory.dataDir, 1)
  const postgres = await startEmbeddedPostgres(directory.dataDir)
  const sql = openDatabase(postgres.address)
  await expectPlainRole(sql)
  await sql.end()
  await postgres.stop()
})
