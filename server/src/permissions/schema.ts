import { diffSchemas } from '@passport/permissions/diff'
import type { PermissionEngine } from '@passport/permissions/engine'
import { reflectSchema } from '@passport/permissions/reflect'
import { transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { applicationPart, compileWithDirectory } from './directory.ts'
import { changedCaveats, findMisfits } from './misfits.ts'
import { commit, type Parts } from './parts.ts'
import { tokenOf } from './token.ts'
import { newSchemaIn } from './write-schema.ts'

type SchemaCalls = Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'>

/** Reads and writes the schema; the directory's part is always in it. */
export function schemaCalls(parts: Parts): SchemaCalls {
  const { sql, schemas } = parts
  async function current() {
    const { epoch, rev, schemaId } = await commitStore.readHead(sql)
    return { schema: await schemas.find(sql, schemaId), token: tokenOf(epoch, rev) }
  }
  return {
    readSchema: async () => {
      const { schema, token } = await current()
      return { text: schema.text, readAt: token }
    },
    writeSchema: async (text, { by, record } = {}) => {
      const { token } = await commit(parts, async (sql) => {
        const { change, enforce } = await newSchemaIn(sql, schemas, { text, by })
        await record?.(change, sql)
        await enforce()
        return {}
      })
      return { writtenAt: token }
    },
    reflectSchema: async () => reflectSchema((await current()).schema),
    diffSchema: async (text) => {
      const [before, after] = [(await current()).schema, await compileWithDirectory(applicationPart(text))]
      const misfits = await transaction(sql, (sql) => findMisfits(sql, changedCaveats(before, after)))
      return diffSchemas(before, after).map((difference) => {
        if (difference.kind !== 'caveat-changed') return difference
        return { ...difference, blocking: misfits.find(({ caveat }) => caveat === difference.name)?.count ?? 0 }
      })
    },
  }
}
