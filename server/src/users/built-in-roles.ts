import type { Sql } from '../database/sql.ts'
import { filterBuiltIn } from '../roles/store.ts'
import type { UserInput } from './create.ts'

type UserWithRoles = Pick<UserInput, 'roles'>

/** Returns Passport's own roles among those of users. */
export async function listBuiltInRoles(sql: Sql, users: UserWithRoles[]): Promise<Set<string>> {
  const names = new Set(users.flatMap(({ roles }) => roles))
  return new Set(await filterBuiltIn(sql, [...names]))
}

/** Returns the error of a row with one of Passport's own roles, which no file gives, even if an administrator imports it. */
export const findBuiltInError = ({ roles }: UserWithRoles, builtInRoles: ReadonlySet<string>) =>
  roles.some((role) => builtInRoles.has(role)) ? ({ column: 'roles', code: 'role-built-in' } as const) : undefined
