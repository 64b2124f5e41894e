import { type JoinInvitation, linkHeaders } from '@passport/contract/join'
import { findMailedInvitation } from '../enrolment/mailed.ts'
import { formatInvitedUrl } from '../enrolment/pages.ts'
import type { Services } from '../feature.ts'
import { joinExpired, joinLimitReached, joinNotFound, joinRevoked, joinUsed } from '../http/problems.ts'
import * as invitations from '../invitations/join.ts'
import { hashToken } from '../vault.ts'
import { findByToken, type LinkRow } from './store.ts'

type JoinContext = Pick<Services, 'sql' | 'upstreams' | 'branding'>

/** Returns the public view of a join link or email invitation. Throws 404, 409 and 410, the same for every caller. */
export async function findInvitation(services: JoinContext, token: string): Promise<JoinInvitation> {
  const { sql } = services
  const link = await findByToken(sql, hashToken(token))
  const invitation = link ? undefined : await invitations.findInvitation(sql, token)
  if (invitation) return openInvitation(services, token, invitation)
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
  services: JoinContext,
  token: string,
  { title, inviter, expiresAt, status }: invitations.JoinableInvitation,
): Promise<JoinInvitation> {
  if (status === 'used') throw joinUsed(linkHeaders)
  if (status === 'revoked') throw joinRevoked(linkHeaders)
  if (status === 'expired') throw joinExpired(linkHeaders)
  const isEnrollable = (await findMailedInvitation(services, token)) !== undefined
  await invitations.markOpened(services.sql, token)
  const encodedToken = encodeURIComponent(token)
  return {
    id: token,
    kind: 'invitation',
    title: title ?? services.branding.current().name,
    description: '',
    inviter,
    expiresAt,
    requiresSignIn: true,
    status: 'open',
    acceptUrl: `/join/${encodedToken}/accept`,
    ...(isEnrollable && { enrolUrl: formatInvitedUrl(token) }),
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
