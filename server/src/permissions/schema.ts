import { diffSchemas } from '@passport/permissions/diff'
import type { PermissionEngine } from '@passport/permissions/engine'
import { reflectSchema } from '@passport/permissions/reflect'
import { applicationPart, compileWithDirectory } from './directory.ts'
import { commit, type Parts } from './parts.ts'
import * as store from './store.ts'
import { tokenOf } from './token.ts'
import { writeSchemaIn } from './write-schema.ts'

type SchemaCalls = Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'>

/** Reads and writes the schema; the directory's part is always in it. */
export function schemaCalls(parts: Parts): SchemaCalls {
  const { sql, schemas } = parts
  async function current() {
    const { epoch, rev, schemaId } = await store.readHead(sql)
    return { schema: await schemas.find(sql, schemaId), token: tokenOf(epoch, rev) }
  }
  return {
    readSchema: async () => {
      const { schema, token } = await current()
      return { text: schema.text, readAt: token }
    },
    writeSchema: async (text, { by, record } = {}) => {
      const { token } = await commit(parts, async (sql) => {
        await writeSchemaIn(sql, schemas, { text, by, record })
        return {}
      })
      return { writtenAt: token }
    },
    reflectSchema: async () => reflectSchema((await current()).schema),
    diffSchema: async (text) =>
      diffSchemas((await current()).schema, await compileWithDirectory(applicationPart(text))),
  }
}
