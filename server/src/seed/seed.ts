import * as accounts from '../accounts/store.ts'
import { type Cell, type CopyTarget, copyIn, withoutIndexes } from '../database/bulk-load.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { type DirectorySize, generateDirectory } from './generated-directory.ts'

/**
 * Adds a generated directory, as a whole or not at all; `report` is called after each step. The users cannot sign in:
 * their identity provider does not exist.
 */
export async function seedDirectory(
  sql: Sql,
  size: DirectorySize,
  report: (line: string) => void = () => {},
): Promise<void> {
  const generated = generateDirectory(size)
  const steps: [name: string, load: CopyTarget, rows: () => Iterable<Cell[]>][] = [
    ['users', users.load, generated.users],
    ['logins', accounts.load, generated.logins],
    ['organisations', orgs.load, generated.orgs],
    ['organisation members', orgs.memberLoad, generated.orgMembers],
    ['groups', groups.load, generated.groups],
    ['group members', groups.memberLoad, generated.groupMembers],
    ['group owners', groups.ownerLoad, generated.groupOwners],
    ['group roles', groups.roleLoad, generated.groupRoles],
    ['user roles', roles.load, generated.roleMembers],
  ]
  const loads = steps.map(([, load]) => load)
  await transaction(sql, (sql) =>
    withoutIndexes(
      sql,
      loads,
      async () => {
        for (const [name, load, rows] of steps)
          report(`${(await copyIn(sql, load, rows())).toLocaleString('en')} ${name}`)
      },
      () => report('all rows copied; building indexes'),
    ),
  )
}
