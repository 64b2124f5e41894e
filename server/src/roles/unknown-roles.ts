import type { Sql } from '../database/sql.ts'
import { namedRoleNotFound } from '../http/problems.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** Returns the names that are not roles, and locks the existing roles until the transaction ends. */
export async function findUnknownRoles(sql: Sql, names: string[]): Promise<Set<string>> {
  const existing = await store.lockExisting(sql, names)
  return new Set(names.filter((name) => !existing.has(name)))
}

/** The problem of unknown roles, and the code of each in `errors`. */
const kinds = {
  'unknown-roles': { problem: problems.unknownRoles, code: 'not-found' },
  'role-not-found': { problem: namedRoleNotFound, code: 'role-not-found' },
}

/** Throws 400 `code` with the position in `roles` of each unknown role. */
export async function rejectUnknownRoles(
  sql: Sql,
  names: string[],
  code: keyof typeof kinds = 'unknown-roles',
): Promise<void> {
  const unknown = await findUnknownRoles(sql, names)
  const errors = names.flatMap((name, index) =>
    unknown.has(name)
      ? [{ field: `roles[${index}]`, code: kinds[code].code, message: `The role ${name} does not exist.` }]
      : [],
  )
  if (errors.length > 0) throw kinds[code].problem(errors.map(({ message }) => message).join(' '), errors)
}
