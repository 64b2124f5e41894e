import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from './database/embedded.ts'
import { serverRole, superuser } from './database/embedded-roles.ts'
import { migrate } from './database/migrate.ts'
import { openDatabase } from './database/sql.ts'
import { rotateAllKeys } from './provider/keys.ts'
import { createVault } from './vault.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The socket directory of the database of this run. */
    socketDirectory: string
  }
}

/** The secret of every service under test. */
export const testSecret = 'the secret of every service under test'
/** The database that test databases are copied from: migrated, with signing keys. */
export const template = 'template'

/** Starts one PostgreSQL for the whole run, in a temporary directory. */
export async function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'passport-test-'))
  // As root, PostgreSQL runs as another user. If that user cannot enter the directory, its files are created elsewhere
  // and not deleted.
  chmodSync(directory, 0o755)
  const postgres = await startEmbeddedPostgres(directory, { fsync: false, maxConnections: 300 })
  if (!('socketDirectory' in postgres.address)) throw new Error('The embedded database has a socket')
  const { socketDirectory } = postgres.address
  await prepareTemplate(socketDirectory)
  project.provide('socketDirectory', socketDirectory)
  return async () => {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function prepareTemplate(socketDirectory: string) {
  const admin = openDatabase({ socketDirectory, database: 'postgres', user: superuser })
  await admin.unsafe(`create database ${template} owner ${serverRole}`)
  await admin.end()
  const sql = openDatabase({ socketDirectory, database: template, user: serverRole })
  await migrate(sql, new URL('../migrations/', import.meta.url))
  await rotateAllKeys(sql, createVault(testSecret))
  await sql.end()
}
