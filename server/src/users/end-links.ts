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
 * Ends the join links, the invitations, the set-up links and the enrolment links that some users or applications have created,
 * by their ids as actors, and records each. They work by the rights of their creator, and would work again once a compromised
 * account is enabled.
 */
export async function endLinksOf(
  sql: Sql,
  creatorIds: string[],
  actor: audit.ActorFields,
): Promise<(creatorId: string) => EndedLinks> {
  const ended = {
    joinLinks: await joinLinks.revokeAllBy(sql, creatorIds),
    invitations: await invitations.revokeAllBy(sql, creatorIds),
    setupLinks: await setupLinks.revokeAllBy(sql, creatorIds),
    enrolmentLinks: await enrolmentLinks.revokeAllBy(sql, creatorIds),
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
  const countBy = (rows: { createdBy: string }[], creatorId: string) =>
    rows.filter(({ createdBy }) => createdBy === creatorId).length
  return (creatorId) => ({
    joinLinks: countBy(ended.joinLinks, creatorId),
    invitations: countBy(ended.invitations, creatorId),
    setupLinks: countBy(ended.setupLinks, creatorId),
    enrolmentLinks: countBy(ended.enrolmentLinks, creatorId),
  })
}
