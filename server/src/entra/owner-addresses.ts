import type { Sql } from '../database/sql.ts'
import type { MailRecipient } from '../mail/send.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'

const maxRecipients = 100

/**
 * Returns the email addresses of the owners of an organisation. One that only its users' sign-ins have filled has no owner:
 * the administrators of this server get its mail instead.
 */
export async function listOwnerAddresses(
  sql: Sql,
  orgId: string,
): Promise<{ recipients: MailRecipient[]; isForOwners: boolean }> {
  const range = { words: null, after: undefined, offset: 0, limit: maxRecipients }
  const ownerIds = (await orgs.listMembers(sql, orgId, { ...range, role: 'owner' })).map(({ id }) => id)
  const owners = await listAddresses(sql, ownerIds)
  if (owners.length > 0) return { recipients: owners, isForOwners: true }
  const administratorIds = await roles.listHolders(sql, 'Passport.Admin', maxRecipients)
  return { recipients: await listAddresses(sql, administratorIds), isForOwners: false }
}

async function listAddresses(sql: Sql, userIds: string[]): Promise<MailRecipient[]> {
  const found = await Promise.all(userIds.map((id) => users.find(sql, id)))
  return found.flatMap((user) =>
    user?.email && user.disabledAt === null ? [{ name: user.displayName, address: user.email }] : [],
  )
}
