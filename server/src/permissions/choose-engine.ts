import type { PermissionEngine } from '@passport/permissions/engine'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../http/log.ts'
import { createEmbeddedEngine } from './embedded.ts'

/** The engine that the settings name: that of this process, unless a SpiceDB is given. */
export async function chooseEngine(
  { spiceDb, permissionCycles: cycles }: Pick<Config, 'spiceDb' | 'permissionCycles'>,
  { sql, log, version }: { sql: Sql; log: Log; version: string },
): Promise<PermissionEngine> {
  if (!spiceDb) return createEmbeddedEngine(sql, { log, version, ...(cycles && { cycles }) })
  const { createSpiceDbEngine } = await import('../spicedb/engine.ts')
  return createSpiceDbEngine(spiceDb)
}
