import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import * as orgs from '../orgs/store.ts'
import * as users from '../users/store.ts'

/** `username` is that of a user, who may share the name with others. */
type ReadNames = (sql: Sql, ids: string[]) => Promise<{ id: string; name: string; username?: string | null }[]>

/** Reads the names of objects, by type. The id of a role is its name with slashes instead of dots. */
const readNames: Record<string, ReadNames> = {
  'passport/user': users.listNames,
  'passport/group': groups.listNames,
  'passport/org': orgs.listNames,
  'passport/role': async (_, ids) => ids.map((id) => ({ id, name: id.replaceAll('/', '.') })),
}

/** Returns the names of directory objects of a type by id; empty for types outside the directory. */
export async function findDirectoryNames(sql: Sql, type: string, ids: string[]): Promise<ReadonlyMap<string, string>> {
  const rows = ids.length === 0 ? [] : await readNames[type]?.(sql, ids)
  return new Map(rows?.map(({ id, name }) => [id, name]))
}

/** Returns those objects that have a name in the directory, grouped by type, with one query per type. */
export async function readAllNames(sql: Sql, objects: readonly { type: string; id: string }[]) {
  const named = await Promise.all(
    Object.keys(readNames).map(async (type) => {
      const ids = objects.filter((object) => object.type === type).map(({ id }) => id)
      const rows = ids.length === 0 ? [] : ((await readNames[type]?.(sql, ids)) ?? [])
      return rows.map(({ id, name, username }) => ({ type, id, name, ...(username && { username }) }))
    }),
  )
  return named.flat()
}
