import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as enrolmentLinks from '../enrolment/store.ts'
import * as invitations from '../invitations/store.ts'
import * as joinLinks from '../join/store.ts'
import * as setupLinks from '../setup/store.ts'

/** The number of links that a change ended, for its audit event. */
interface EndedLinks {
  joinLinks: number
  invitations: number
  setupLinks: number
  enrolmentLinks: number
}

/**
 * Ends the join links, the invitations, the set-up links and the enrolment links that some users have created, and records each. They work by
 * the rights of their creator, and would work again once a compromised account is enabled.
 */
export async function endLinksOf(
  sql: Sql,
  userIds: string[],
  actor: audit.ActorFields,
): Promise<(userId: string) => EndedLinks> {
  const ended = {
    joinLinks: await joinLinks.revokeAllBy(sql, userIds),
    invitations: await invitations.revokeAllBy(sql, userIds),
    setupLinks: await setupLinks.revokeAllBy(sql, userIds),
    enrolmentLinks: await enrolmentLinks.revokeAllBy(sql, userIds),
  }
  await audit.recordAll(sql, [
    ...ended.joinLinks.map(({ id, kind, targetId }) => ({
      ...actor,
      action: 'join-link.stopped' as const,
      target: { kind, id: targetId },
      before: { joinLink: id },
    })),
    ...ended.invitations.map(({ id, email }) => ({
      ...actor,
      action: 'invitation.revoked' as const,
      target: { kind: 'invitation' as const, id },
      before: { email },
    })),
    ...ended.setupLinks.map(({ id, orgId }) => ({
      ...actor,
      action: 'org.setup-link-revoked' as const,
      target: { kind: 'org' as const, id: orgId },
      before: { setupLink: id },
    })),
    ...ended.enrolmentLinks.map(({ id, userId }) => ({
      ...actor,
      action: 'user.enrolment-link-revoked' as const,
      target: { kind: 'user' as const, id: userId },
      before: { enrolmentLink: id },
    })),
  ])
  const countBy = (rows: { createdBy: string }[], userId: string) =>
    rows.filter(({ createdBy }) => createdBy === userId).length
  return (userId) => ({
    joinLinks: countBy(ended.joinLinks, userId),
    invitations: countBy(ended.invitations, userId),
    setupLinks: countBy(ended.setupLinks, userId),
    enrolmentLinks: countBy(ended.enrolmentLinks, userId),
  })
}
