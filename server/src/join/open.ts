import { type JoinInvitation, linkHeaders } from '@passport/contract/join'
import type { Sql } from '../database/sql.ts'
import { joinExpired, joinLimitReached, joinNotFound, joinRevoked, joinUsed } from '../http/problems.ts'
import * as invitations from '../invitations/join.ts'
import { hashToken } from '../vault.ts'
import { findByToken, type LinkRow } from './store.ts'

/** Returns the public view of a join link or email invitation. Throws 404, 409 and 410, the same for every caller. */
export async function findInvitation(sql: Sql, token: string, brandName: string): Promise<JoinInvitation> {
  const link = await findByToken(sql, hashToken(token))
  const invitation = link ? undefined : await invitations.findInvitation(sql, token)
  if (invitation) return openInvitation(sql, token, invitation, brandName)
  requireOpen(link)
  requireUnused(link)
  const { kind, targetName, targetDescription, makerName, expiresAt } = link
  const encodedToken = encodeURIComponent(token)
  return {
    id: token,
    kind,
    title: targetName,
    description: targetDescription,
    inviter: { displayname: makerName ?? 'Someone' },
    expiresAt,
    requiresSignIn: true,
    status: 'open',
    acceptUrl: `/join/${encodedToken}/accept`,
    appUrl: `/app/join/${encodedToken}`,
  }
}

/** Returns the public view of an email invitation, and records for the inviter that its link was opened. */
async function openInvitation(
  sql: Sql,
  token: string,
  { title, inviter, expiresAt, status }: invitations.JoinableInvitation,
  brandName: string,
): Promise<JoinInvitation> {
  if (status === 'used') throw joinUsed(linkHeaders)
  if (status === 'revoked') throw joinRevoked(linkHeaders)
  if (status === 'expired') throw joinExpired(linkHeaders)
  await invitations.markOpened(sql, token)
  const encodedToken = encodeURIComponent(token)
  return {
    id: token,
    kind: 'invitation',
    title: title ?? brandName,
    description: '',
    inviter,
    expiresAt,
    requiresSignIn: true,
    status: 'open',
    acceptUrl: `/join/${encodedToken}/accept`,
    appUrl: `/app/join/${encodedToken}`,
  }
}

/** Throws 404 if the link does not exist, and 410 if it is expired or revoked, or its target is deleted. */
export function requireOpen(link: LinkRow | undefined): asserts link is LinkRow {
  if (!link) throw joinNotFound(linkHeaders)
  if (link.status === 'stopped' || link.isTargetDeleted) throw joinRevoked(linkHeaders)
  if (link.status === 'expired') throw joinExpired(linkHeaders)
}

/** Throws 409 if the maximum number of uses is reached. */
export function requireUnused({ status }: LinkRow): void {
  if (status === 'used') throw joinLimitReached(linkHeaders)
}
