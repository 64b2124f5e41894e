import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import * as orgs from '../orgs/store.ts'
import * as users from '../users/store.ts'

type Naming = (sql: Sql, ids: string[]) => Promise<{ id: string; name: string }[]>

/** What the objects of each type are called; the slashes of a role's id are dots in its name. */
const naming: Record<string, Naming> = {
  'passport/user': users.namesOf,
  'passport/group': groups.namesOf,
  'passport/org': orgs.namesOf,
  'passport/role': async (_, ids) => ids.map((id) => ({ id, name: id.replaceAll('/', '.') })),
}

/** What people call those of the directory, by their ids; of other types nothing is known. */
export async function namesInDirectory(sql: Sql, type: string, ids: string[]): Promise<ReadonlyMap<string, string>> {
  const found = ids.length === 0 ? [] : await naming[type]?.(sql, ids)
  return new Map(found?.map(({ id, name }) => [id, name]))
}

/** The objects that have a name, type by type; one statement for each type that has any. */
export async function nameAll(sql: Sql, objects: readonly { type: string; id: string }[]) {
  const named = await Promise.all(
    Object.keys(naming).map(async (type) => {
      const ids = objects.filter((object) => object.type === type).map(({ id }) => id)
      return [...(await namesInDirectory(sql, type, ids))].map(([id, name]) => ({ type, id, name }))
    }),
  )
  return named.flat()
}
