import * as accounts from '../accounts/store.ts'
import * as groups from '../groups/store.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { type Cell, copyIn, type Load, withoutIndexes } from './bulk-load.ts'
import { type DirectorySize, madeUpDirectory } from './made-up.ts'
import { type Sql, transaction } from './sql.ts'

/**
 * Adds a made-up directory of a size, whole or not at all; `tell` hears of each step when it is done. Nobody in it can
 * sign in: their identity provider does not exist.
 */
export async function seedDirectory(
  sql: Sql,
  size: DirectorySize,
  tell: (line: string) => void = () => {},
): Promise<void> {
  const madeUp = madeUpDirectory(size)
  const steps: [what: string, load: Load, rows: () => Iterable<Cell[]>][] = [
    ['people', users.load, madeUp.users],
    ['logins', accounts.load, madeUp.logins],
    ['organisations', orgs.load, madeUp.orgs],
    ['members of organisations', orgs.memberLoad, madeUp.orgMembers],
    ['groups', groups.load, madeUp.groups],
    ['members of groups', groups.memberLoad, madeUp.groupMembers],
    ['owners of groups', groups.ownerLoad, madeUp.groupOwners],
    ['roles of groups', groups.roleLoad, madeUp.groupRoles],
    ['roles of people', roles.load, madeUp.roleMembers],
  ]
  const loads = steps.map(([, load]) => load)
  await transaction(sql, (sql) =>
    withoutIndexes(
      sql,
      loads,
      async () => {
        for (const [what, load, rows] of steps)
          tell(`${(await copyIn(sql, load, rows())).toLocaleString('en')} ${what}`)
      },
      () => tell('all rows; now their indexes'),
    ),
  )
}
