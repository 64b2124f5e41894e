import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import * as store from './store.ts'

/** Returns the names that are not roles, and locks the existing roles until the transaction ends. */
export async function findUnknownRoles(sql: Sql, names: string[]): Promise<Set<string>> {
  const existing = await store.lockExisting(sql, names)
  return new Set(names.filter((name) => !existing.has(name)))
}

/** The error code of each unknown role. */
const errorCodes = { 'unknown-roles': 'not-found', 'role-not-found': 'role-not-found' } as const

/** Throws 400 `code` with the position in `roles` of each unknown role. */
export async function rejectUnknownRoles(
  sql: Sql,
  names: string[],
  code: keyof typeof errorCodes = 'unknown-roles',
): Promise<void> {
  const unknown = await findUnknownRoles(sql, names)
  const errors = names.flatMap((name, index) =>
    unknown.has(name)
      ? [{ field: `roles[${index}]`, code: errorCodes[code], message: `The role ${name} does not exist.` }]
      : [],
  )
  if (errors.length > 0) throw new Problem(400, code, errors.map(({ message }) => message).join(' '), { errors })
}
