import { diffSchemas, type PermissionEngine, reflectSchema } from '@passport/permissions'
import { transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { applicationPart, compileWithDirectory } from './directory.ts'
import { findChangedCaveats, findIncompatibleValues } from './incompatible-values.ts'
import { commit, type Parts } from './parts.ts'
import { encodeToken } from './token.ts'
import { prepareSchema } from './write-schema.ts'

type SchemaCalls = Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'>

/** Reads and writes the schema, which always includes the directory's part. */
export function schemaCalls(parts: Parts): SchemaCalls {
  const { sql, schemas } = parts
  async function current() {
    const { epoch, rev, schemaId } = await commitStore.readHead(sql)
    return { schema: await schemas.find(sql, schemaId), token: encodeToken(epoch, rev) }
  }
  return {
    readSchema: async () => {
      const { schema, token } = await current()
      return { text: schema.text, readAt: token }
    },
    writeSchema: async (text, { by, record } = {}) => {
      const { token } = await commit(parts, async (sql) => {
        const { change, activate } = await prepareSchema(sql, schemas, { text, by })
        await record?.(change, sql)
        await activate()
        return {}
      })
      return { writtenAt: token }
    },
    reflectSchema: async () => reflectSchema((await current()).schema),
    diffSchema: async (text) => {
      const [before, after] = [(await current()).schema, await compileWithDirectory(applicationPart(text))]
      const incompatible = await transaction(sql, (sql) =>
        findIncompatibleValues(sql, findChangedCaveats(before, after)),
      )
      return diffSchemas(before, after).map((difference) => {
        if (difference.kind !== 'caveat-changed') return difference
        return { ...difference, blocking: incompatible.find(({ caveat }) => caveat === difference.name)?.count ?? 0 }
      })
    },
  }
}
