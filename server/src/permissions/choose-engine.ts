import type { PermissionEngine } from '@passport/permissions'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { createEmbeddedEngine } from './embedded.ts'

/** Returns the configured engine: embedded, unless SpiceDB is configured. */
export async function chooseEngine(
  { spiceDb, permissionCycles: cycles }: Pick<Config, 'spiceDb' | 'permissionCycles'>,
  { sql, background, log, version }: { sql: Sql; background: Sql; log: Log; version: string },
): Promise<PermissionEngine> {
  if (!spiceDb) return createEmbeddedEngine(sql, { background, log, version, ...(cycles && { cycles }) })
  const { createSpiceDbEngine } = await import('../spicedb/engine.ts')
  return createSpiceDbEngine(spiceDb)
}
