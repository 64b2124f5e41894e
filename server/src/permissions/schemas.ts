import type { Schema } from '@passport/permissions/schema'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { compileWithDirectory } from './directory.ts'

/** Schemas by their ids, compiled once: what an id stands for never changes. */
export interface Schemas {
  /** What is always there for null. Rejects where there is no such schema. */
  find: (sql: Sql, id: string | null) => Promise<Schema>
}

const maxKept = 20

export function keepSchemas(): Schemas {
  const kept = new Map<string | null, Schema>()
  return {
    find: async (sql, id) => {
      const known = kept.get(id)
      if (known) return known
      const text = id === null ? '' : await commitStore.readSchema(sql, id)
      if (text === undefined) throw new Error(`There is no schema ${id}.`)
      const schema = await compileWithDirectory(text)
      if (kept.size >= maxKept) kept.clear()
      kept.set(id, schema)
      return schema
    },
  }
}
