import type { Sql } from '../database/sql.ts'
import * as invitations from '../invitations/store.ts'

/** Returns what an invitation shows to its holder. */
export async function describeInvitation(
  sql: Sql,
  { id }: { id: string },
  brandName: string,
): Promise<{ title: string; inviter: string; roles: string[] } | undefined> {
  const found = await invitations.find(sql, id)
  return found && { title: found.org?.name ?? brandName, inviter: found.inviter.name, roles: found.roles }
}
