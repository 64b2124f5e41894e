import { type BinKind, restorableDays } from '@passport/contract/bin'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { sweepAll } from '../database/jobs.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import * as directory from '../local-directory/store.ts'
import * as orgs from '../orgs/store.ts'
import { forget } from '../permissions/forget.ts'
import * as users from '../users/store.ts'

const atOnce = 100

/**
 * Removes for good what was deleted so long ago that nobody can give it back; what they had goes along, also what
 * applications relate to them, and the audit stays. Groups go before the organisations whose they are.
 */
export async function purgeBin(sql: Sql): Promise<void> {
  await sweepAll((limit) => purge(sql, 'group', limit, groups.eraseDeleted), atOnce)
  await sweepAll((limit) => purge(sql, 'org', limit, orgs.eraseDeleted), atOnce)
  await sweepAll((limit) => purge(sql, 'user', limit, erasePeople), atOnce)
}

type Erase = (sql: Sql, olderThanDays: number, limit: number) => Promise<string[]>

function purge(sql: Sql, kind: BinKind, limit: number, erase: Erase): Promise<number> {
  return transaction(sql, async (sql) => {
    const ids = await erase(sql, restorableDays, limit)
    if (ids.length === 0) return 0
    const before = { ids, ...(await forget(sql, kind, ids)) }
    await audit.record(sql, { action: 'bin.purged', target: { kind: 'bin', id: kind }, before })
    return ids.length
  })
}

/** The built-in directory must not go on knowing whom Passport has forgotten. */
const erasePeople: Erase = async (sql, olderThanDays, limit) => {
  const ids = await users.lockDeleted(sql, olderThanDays, limit)
  await directory.remove(sql, await accounts.subjectsOf(sql, ids, directory.identityIssuer))
  await users.erase(sql, ids)
  return ids
}
