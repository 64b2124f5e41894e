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
import { commit, type EngineContext } from './consistency.ts'
import { compileWithDirectory, extractApplicationPart, type SchemaCache, withDirectory } from './directory-schema.ts'
import { createRetryError, lockHead } from './optimistic-lock.ts'
import { findChangedElements, findIncompatibleValues, isAffected, rejectSchemaInUse } from './schema-conflicts.ts'
import { encodeToken } from './token.ts'
import { formatAuthor } from './write.ts'

type SchemaMethods = Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'>

/** Creates the methods for the schema, which always includes the directory's part. */
export function createSchemaMethods(context: EngineContext): SchemaMethods {
  const { sql, schemas } = context
  async function readCurrent() {
    const { epoch, rev, schemaId } = await commitStore.readHead(sql)
    return { schema: await schemas.find(sql, schemaId), token: encodeToken(epoch, rev) }
  }
  return {
    readSchema: async () => {
      const { schema, token } = await readCurrent()
      return { text: schema.text, readAt: token }
    },
    writeSchema: async (text, { by, record } = {}) => {
      const { token } = await commit(context, async (sql) => {
        const { change, activate } = await prepareSchema(sql, schemas, text, by)
        await record?.(change, sql)
        await activate()
      })
      return { writtenAt: token }
    },
    reflectSchema: async () => reflectSchema((await readCurrent()).schema),
    diffSchema: async (text) => {
      const [before, after] = [(await readCurrent()).schema, await compileWithDirectory(extractApplicationPart(text))]
      const incompatible = await transaction(sql, (sql) =>
        findIncompatibleValues(sql, findChangedElements(before, after).caveats),
      )
      return diffSchemas(before, after).map((difference) => {
        if (difference.kind !== 'caveat-changed') return difference
        return { ...difference, blocking: incompatible.find(({ caveat }) => caveat === difference.name)?.count ?? 0 }
      })
    },
  }
}

/** A stored schema that is not active yet. */
interface NewSchema {
  schema: Schema
  change: SchemaChange
  /**
   * Activates the schema as the last step of the transaction: other changes wait for its commit, and writes that were
   * checked against the old schema are retried. Throws `schema-in-use` if a concurrent change conflicts.
   */
  activate: () => Promise<void>
}

/** Checks and stores a schema, without blocking other transactions. Throws `schema-invalid` and `schema-in-use`. */
export async function prepareSchema(
  sql: Sql,
  schemas: SchemaCache,
  text: string,
  by: Author | undefined,
): Promise<NewSchema> {
  const part = extractApplicationPart(text)
  const after = await compileWithDirectory(part)
  const since = await commitStore.readHead(sql)
  await commitStore.beginWrite(sql, formatAuthor(by))
  const before = await schemas.find(sql, since.schemaId)
  const changed = findChangedElements(before, after)
  await rejectSchemaInUse(sql, after, changed)
  const id = await commitStore.addSchema(sql, part)
  const activate = async () => {
    const { head, hasConflict } = await lockHead(sql, since, (relationship) => isAffected(relationship, changed))
    if (head.schemaId !== since.schemaId) throw createRetryError('The schema was changed concurrently')
    if (hasConflict) await rejectSchemaInUse(sql, after, changed)
    await commitStore.activateSchema(sql, id)
  }
  return { schema: after, change: { before: before.text, after: withDirectory(part) }, activate }
}
