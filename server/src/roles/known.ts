import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import * as store from './store.ts'

/** Of some names, those that no role has. The roles that there are stay until the transaction ends. */
export async function unknownOf(sql: Sql, names: string[]): Promise<Set<string>> {
  const known = await store.known(sql, names)
  return new Set(names.filter((name) => !known.has(name)))
}

/** What each role is called that is in the way. */
const faultOf = { 'unknown-roles': 'not-found', 'role-not-found': 'role-not-found' } as const

/** Throws 400 `code` that names each role there is not by its place among `roles`. */
export async function refuseUnknownRoles(
  sql: Sql,
  names: string[],
  code: keyof typeof faultOf = 'unknown-roles',
): Promise<void> {
  const unknown = await unknownOf(sql, names)
  const errors = names.flatMap((name, at) =>
    unknown.has(name) ? [{ field: `roles[${at}]`, code: faultOf[code], message: `There is no role ${name}.` }] : [],
  )
  if (errors.length > 0) throw new Problem(400, code, errors.map(({ message }) => message).join(' '), { errors })
}
