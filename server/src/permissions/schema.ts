import {
  type Author,
  diffSchemas,
  type PermissionEngine,
  reflectSchema,
  type Schema,
  type SchemaChange,
} from '@passport/permissions'
import { type Sql, transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { commit, type Parts } from './consistency.ts'
import { applicationPart, compileWithDirectory, type SchemaCache, withDirectory } from './directory-schema.ts'
import { lockHead, retryError } from './optimistic-lock.ts'
import { findChanged, findIncompatibleValues, isAffected, rejectSchemaInUse } from './schema-conflicts.ts'
import { encodeToken } from './token.ts'
import { formatAuthor } from './write.ts'

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
        const { change, activate } = await prepareSchema(sql, schemas, text, by)
        await record?.(change, sql)
        await activate()
      })
      return { writtenAt: token }
    },
    reflectSchema: async () => reflectSchema((await current()).schema),
    diffSchema: async (text) => {
      const [before, after] = [(await current()).schema, await compileWithDirectory(applicationPart(text))]
      const incompatible = await transaction(sql, (sql) =>
        findIncompatibleValues(sql, findChanged(before, after).caveats),
      )
      return diffSchemas(before, after).map((difference) => {
        if (difference.kind !== 'caveat-changed') return difference
        return { ...difference, blocking: incompatible.find(({ caveat }) => caveat === difference.name)?.count ?? 0 }
      })
    },
  }
}

/** A schema that is about to be activated. */
interface NewSchema {
  schema: Schema
  change: SchemaChange
  /**
   * Activates it, as the last step of the transaction: no other change commits until its end, and writes checked
   * against the old schema are retried. Throws `schema-in-use` for concurrent changes.
   */
  activate: () => Promise<void>
}

/** Checks a schema within a transaction without blocking others. Throws `schema-invalid` and `schema-in-use`. */
export async function prepareSchema(
  sql: Sql,
  schemas: SchemaCache,
  text: string,
  by: Author | undefined,
): Promise<NewSchema> {
  const part = applicationPart(text)
  const after = await compileWithDirectory(part)
  const since = await commitStore.readHead(sql)
  await commitStore.beginWrite(sql, formatAuthor(by))
  const before = await schemas.find(sql, since.schemaId)
  const changed = findChanged(before, after)
  await rejectSchemaInUse(sql, after, changed)
  const id = await commitStore.addSchema(sql, part)
  const activate = async () => {
    const { head, hasConflict } = await lockHead(sql, since, (relationship) => isAffected(relationship, changed))
    if (head.schemaId !== since.schemaId) throw retryError('The schema was changed concurrently')
    if (hasConflict) await rejectSchemaInUse(sql, after, changed)
    await commitStore.activateSchema(sql, id)
  }
  return { schema: after, change: { before: before.text, after: withDirectory(part) }, activate }
}
