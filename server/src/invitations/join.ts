import { isSameEmail } from '@passport/contract/email'
import type { OrgRole } from '@passport/contract/orgs'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { joinExpired, joinNotFound, joinRevoked, joinUsed, notSignedIn } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { grantInvitation } from './grant.ts'
import { loadInviter } from './inviter.ts'
import * as store from './store.ts'

/** The public view of an invitation, for the holder of its link. */
export interface JoinableInvitation {
  kind: 'invitation'
  id: string
  /** The target: an organisation, or null for the installation itself. */
  title: string | null
  inviter: { displayname: string }
  expiresAt: string
  /** `awaiting-confirmation` is still open to the user with the invited email. */
  status: 'open' | 'awaiting-confirmation' | 'used' | 'expired' | 'revoked'
}

const joinStatuses = {
  sent: 'open',
  opened: 'open',
  'awaiting-confirmation': 'awaiting-confirmation',
  accepted: 'used',
  expired: 'expired',
  revoked: 'revoked',
} as const

/** Finds the invitation of a token; undefined if the token is unknown, or was replaced when the invitation was resent. */
export async function findInvitation(sql: Sql, token: string): Promise<JoinableInvitation | undefined> {
  const invitation = await store.findByToken(sql, token)
  if (!invitation) return undefined
  const { id, org, inviter, expiresAt, status } = invitation
  return {
    kind: 'invitation',
    id,
    title: org?.name ?? null,
    inviter: { displayname: inviter.name },
    expiresAt,
    status: joinStatuses[status],
  }
}

/** Records that the link was opened, perhaps by a mail scanner; the invitation stays open. */
export const markOpened = (sql: Sql, token: string): Promise<void> => store.markOpened(sql, token)

export interface Acceptance {
  status: 'accepted' | 'awaiting-confirmation'
  roles: string[]
  org: { id: string; name: string; role: OrgRole } | null
  /** Roles, or `org`, that the inviter may no longer grant. */
  leftOut: string[]
}

/**
 * Accepts an invitation, once. A user with the invited email, verified, gets its grants; another user waits until an
 * administrator confirms. The same user may repeat the call. Throws 404 `join-not-found`, 409 `join-used`, and 410
 * `join-expired` or `join-revoked`.
 */
export function accept(sql: Sql, token: string, caller: Caller, visit: Visit): Promise<Acceptance> {
  return transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    const invitation = await store.lockByToken(sql, token)
    if (!invitation) throw joinNotFound()
    const { id, isAccepted, acceptedBy, claimedBy } = invitation
    if (isAccepted && acceptedBy === caller.id) return readAcceptance(sql, id)
    requireOpen(invitation)
    const user = await users.lock(sql, caller.id)
    if (!user || user.disabledAt !== null) throw notSignedIn()
    if (isInvited(invitation.email, user)) {
      const granter = await loadInviter(sql, invitation.invitedBy)
      await grantInvitation(sql, invitation, {
        userId: caller.id,
        granter,
        actorId: caller.id,
        action: 'invitation.accepted',
        visit,
      })
      return readAcceptance(sql, id)
    }
    if (claimedBy !== caller.id) {
      await store.markClaimed(sql, id, caller.id)
      await audit.record(sql, {
        action: 'invitation.claimed',
        actorId: caller.id,
        target: { kind: 'invitation', id },
        after: { user: caller.id, email: user.email, emailVerified: user.emailVerified },
        visit,
      })
    }
    return { status: 'awaiting-confirmation', roles: [], org: null, leftOut: [] }
  })
}

/** Throws 404, 409 and 410 for an invitation that can no longer be accepted. */
export function requireOpen(
  invitation: store.LockedInvitation | undefined,
): asserts invitation is store.LockedInvitation {
  if (!invitation) throw joinNotFound()
  const { isAccepted, isRevoked, isExpired } = invitation
  if (isAccepted) throw joinUsed()
  if (isRevoked) throw joinRevoked()
  if (isExpired) throw joinExpired()
}

/** Reports whether the user has the invited email, verified; an unverified one could belong to another user. */
const isInvited = (invited: string, { email, emailVerified }: users.User): boolean =>
  emailVerified && email !== null && isSameEmail(invited, email)

async function readAcceptance(sql: Sql, id: string): Promise<Acceptance> {
  const invitation = await store.find(sql, id)
  if (!invitation) throw new Error(`The invitation ${id} no longer exists`)
  const { roles, org, leftOut } = invitation
  return {
    status: 'accepted',
    roles: roles.filter((role) => !leftOut.includes(role)),
    org: leftOut.includes('org') ? null : org,
    leftOut,
  }
}
