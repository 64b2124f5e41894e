import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { give } from './give.ts'
import { inviterNow } from './inviter.ts'
import * as store from './store.ts'

/** What whoever holds the link may know of an invitation. */
export interface JoinableInvitation {
  kind: 'invitation'
  id: string
  /** What one is invited to: an organisation, or null for the installation itself. */
  title: string | null
  inviter: { displayname: string }
  expiresAt: string
  /** `awaiting-confirmation` is still open to the one with the invited e-mail. */
  status: 'open' | 'awaiting-confirmation' | 'used' | 'expired' | 'revoked'
}

const statusOf = {
  sent: 'open',
  opened: 'open',
  'awaiting-confirmation': 'awaiting-confirmation',
  accepted: 'used',
  expired: 'expired',
  revoked: 'revoked',
} as const

/** The invitation whose mail has this token; undefined where none has, and it is not told whether one had. */
export async function findInvitation(sql: Sql, token: string): Promise<JoinableInvitation | undefined> {
  const found = await store.findByToken(sql, token)
  if (!found) return undefined
  const { id, org, inviter, expiresAt, status } = found
  return {
    kind: 'invitation',
    id,
    title: org?.name ?? null,
    inviter: { displayname: inviter.name },
    expiresAt,
    status: statusOf[status],
  }
}

/** Somebody, or a mail program for them, looked at the link. It uses nothing up. */
export const noteOpened = (sql: Sql, token: string): Promise<void> => store.noteOpened(sql, token)

export interface Acceptance {
  status: 'accepted' | 'awaiting-confirmation'
  roles: string[]
  org: { id: string; name: string; role: store.OrgRole } | null
  /** Roles, or `org`, that the inviter may not give any more. */
  leftOut: string[]
}

/**
 * Takes an invitation, once: whoever has its e-mail, verified, gets what it promises; anyone else waits until an
 * administrator confirms. The same person may ask again. Throws 404 `join-not-found`, 409 `join-used`,
 * 410 `join-expired` or `join-revoked`.
 */
export function accept(sql: Sql, token: string, caller: Caller, visit: Visit): Promise<Acceptance> {
  return transaction(sql, async (sql) => {
    const invitation = await store.lockByToken(sql, token)
    if (!invitation) throw new Problem(404, 'join-not-found', 'There is no such invitation.')
    const { id, isAccepted, acceptedBy, claimedBy } = invitation
    if (isAccepted && acceptedBy === caller.id) return told(sql, id)
    refuseOver(invitation)
    await roles.lockChanges(sql)
    const user = await users.lock(sql, caller.id)
    if (!user || user.disabledAt !== null) throw new Problem(401, 'not-signed-in', 'Sign in first.')
    if (isInvited(invitation.email, user)) {
      const giver = await inviterNow(sql, invitation.invitedBy)
      await give(sql, invitation, {
        userId: caller.id,
        giver,
        actorId: caller.id,
        action: 'invitation.accepted',
        visit,
      })
      return told(sql, id)
    }
    if (claimedBy !== caller.id) {
      await store.noteClaimed(sql, id, caller.id)
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

function refuseOver({ isAccepted, isRevoked, isExpired }: store.Locked) {
  if (isAccepted) throw new Problem(409, 'join-used', 'This invitation has been used.')
  if (isRevoked) throw new Problem(410, 'join-revoked', 'This invitation has been taken back.')
  if (isExpired) throw new Problem(410, 'join-expired', 'This invitation is not good any more. Ask for a new one.')
}

/** Only an address that was proved tells that this is the person who was invited. */
const isInvited = (invited: string, { email, emailVerified }: users.User): boolean =>
  emailVerified && email !== null && isSameAddress(invited, email)

/** Addresses that differ in case alone are the same. */
export const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

async function told(sql: Sql, id: string): Promise<Acceptance> {
  const found = await store.find(sql, id)
  if (!found) throw new Error(`The invitation ${id} is gone`)
  const { roles, org, leftOut } = found
  return {
    status: 'accepted',
    roles: roles.filter((role) => !leftOut.includes(role)),
    org: leftOut.includes('org') ? null : org,
    leftOut,
  }
}
