import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import type { MailContext } from '../mail/send.ts'
import * as orgs from '../orgs/store.ts'
import { notifyOfNames } from '../profile/notices.ts'
import * as store from './store.ts'

/**
 * Returns the accounts that hold an address at a domain of an organisation: those that keep it, because their user proved it,
 * an administrator stated it or the organisation vouched for it, and those that lose it to the organisation.
 */
export async function judgeHolders(
  sql: Sql,
  { email, orgId, userId }: { email: string; orgId: string; userId?: string | undefined },
): Promise<{ keeping: store.AddressHolder[]; losing: store.AddressHolder[] }> {
  const holders = await store.listHolders(sql, email, userId)
  const isKept = ({ emailVerified, emailVerifiedBy }: store.AddressHolder) =>
    emailVerified && (emailVerifiedBy === null || emailVerifiedBy === orgId)
  return { keeping: holders.filter(isKept), losing: holders.filter((holder) => !isKept(holder)) }
}

/** Takes the address from accounts that lose it to an organisation. Each change is audited, and the address is notified. */
export async function takeAddress(
  sql: Sql,
  context: MailContext,
  losing: store.AddressHolder[],
  { orgId, actor, visit }: { orgId: string; actor: audit.ActorFields; visit: Visit },
): Promise<void> {
  const org = losing.length > 0 ? await orgs.findName(sql, orgId) : undefined
  for (const holder of losing) {
    const { id, email, emailVerified, username, displayName } = holder
    await store.dropEmail(sql, id)
    await audit.record(sql, {
      ...actor,
      action: 'user.changed',
      target: { kind: 'user', id },
      before: { email, emailVerified },
      after: { email: null, emailVerified: false, org: orgId },
    })
    const before = { username, displayName, email }
    const after = { ...before, email: null }
    await notifyOfNames(sql, context, { id, before, after, isByAdministrator: true, owner: org?.name, visit })
  }
}

/**
 * Marks the addresses at domains that an organisation has just verified as unverified if another organisation vouched for
 * them. The accounts keep them until the organisation provisions a user with the address. Each change is audited.
 */
export async function endFormerVouches(
  sql: Sql,
  { orgId, domains }: { orgId: string; domains: string[] },
  actor: audit.ActorFields,
): Promise<void> {
  if (domains.length === 0) return
  await store.lockEmails(sql)
  const ended = await store.endVouches(sql, { orgId, domains })
  await audit.recordAll(
    sql,
    ended.map(({ id, email, voucher }) => ({
      ...actor,
      action: 'user.changed' as const,
      target: { kind: 'user' as const, id },
      before: { email, emailVerified: true, emailVerifiedBy: voucher },
      after: { email, emailVerified: false, org: orgId },
      reason: 'email-of-organisation',
    })),
  )
}
