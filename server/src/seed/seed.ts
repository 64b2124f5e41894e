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
  const steps: [name: string, target: CopyTarget, rows: () => Iterable<Cell[]>][] = [
    ['users', users.copyTarget, generated.users],
    ['logins', accounts.copyTarget, generated.logins],
    ['organisations', orgs.copyTarget, generated.orgs],
    ['organisation members', orgs.memberCopyTarget, generated.orgMembers],
    ['groups', groups.copyTarget, generated.groups],
    ['group members', groups.memberCopyTarget, generated.groupMembers],
    ['group owners', groups.ownerCopyTarget, generated.groupOwners],
    ['group roles', groups.roleCopyTarget, generated.groupRoles],
    ['user roles', roles.copyTarget, generated.roleMembers],
  ]
  const targets = steps.map(([, target]) => target)
  await transaction(sql, (sql) =>
    withoutIndexes(
      sql,
      targets,
      async () => {
        for (const [name, target, rows] of steps)
          report(`${(await copyIn(sql, target, rows())).toLocaleString('en')} ${name}`)
      },
      () => report('all rows copied; building indexes'),
    ),
  )
}
