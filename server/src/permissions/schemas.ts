import type { Schema } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { compileWithDirectory } from './directory.ts'

/** A cache of compiled schemas by id; the schema of an id never changes. */
export interface SchemaCache {
  /** Returns only the directory's part for null. Rejects if the schema does not exist. */
  find: (sql: Sql, id: string | null) => Promise<Schema>
}

const maxEntries = 20

export function createSchemaCache(): SchemaCache {
  const cache = new Map<string | null, Schema>()
  return {
    find: async (sql, id) => {
      const cached = cache.get(id)
      if (cached) return cached
      const text = id === null ? '' : await commitStore.readSchema(sql, id)
      if (text === undefined) throw new Error(`The schema ${id} does not exist.`)
      const schema = await compileWithDirectory(text)
      if (cache.size >= maxEntries) cache.clear()
      cache.set(id, schema)
      return schema
    },
  }
}
