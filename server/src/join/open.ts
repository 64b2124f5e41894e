import { type Invitation, linkHeaders } from '@passport/contract/join'
import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import * as invitations from '../invitations/join.ts'
import { hashToken } from '../vault.ts'
import { findByToken, type LinkRow } from './store.ts'

/** What whoever holds a token may know. Throws 404, 409 `join-used` or 410, for everyone alike. */
export async function findInvitation(sql: Sql, token: string, brandName: string): Promise<Invitation> {
  const link = await findByToken(sql, hashToken(token))
  const invitation = link ? undefined : await invitations.findInvitation(sql, token)
  if (invitation) return openInvitation(sql, token, invitation, brandName)
  refuseEnded(link)
  refuseUsed(link)
  const { kind, targetName, targetDescription, makerName, expiresAt } = link
  const place = encodeURIComponent(token)
  return {
    id: token,
    kind,
    title: targetName,
    description: targetDescription,
    inviter: { displayname: makerName ?? 'Someone' },
    expiresAt,
    requiresSignIn: true,
    status: 'open',
    acceptUrl: `/join/${place}/accept`,
    appUrl: `/app/join/${place}`,
  }
}

/** An invitation that came by e-mail; looking at it uses nothing up, and whoever sent it sees that someone did. */
async function openInvitation(
  sql: Sql,
  token: string,
  { title, inviter, expiresAt, status }: invitations.JoinableInvitation,
  brandName: string,
): Promise<Invitation> {
  if (status === 'used') throw ended(409, 'join-used', 'This invitation has been used.')
  if (status === 'revoked') throw ended(410, 'join-revoked', 'This invitation was withdrawn. Ask for another.')
  if (status === 'expired') throw ended(410, 'join-expired', 'This invitation has expired. Ask for another.')
  await invitations.noteOpened(sql, token)
  const place = encodeURIComponent(token)
  return {
    id: token,
    kind: 'invitation',
    title: title ?? brandName,
    description: '',
    inviter,
    expiresAt,
    requiresSignIn: true,
    status: 'open',
    acceptUrl: `/join/${place}/accept`,
    appUrl: `/app/join/${place}`,
  }
}

const ended = (status: number, code: string, detail: string) =>
  new Problem(status, code, detail, { headers: linkHeaders })

/** Throws 404 where there is no such link, and 410 where it has ended before its uses did. */
export function refuseEnded(link: LinkRow | undefined): asserts link is LinkRow {
  if (!link)
    throw ended(404, 'join-not-found', 'There is no such invitation. Look whether the whole address was copied.')
  if (link.status === 'stopped' || link.isTargetDeleted)
    throw ended(410, 'join-revoked', 'This invitation was withdrawn. Ask whoever sent it for another.')
  if (link.status === 'expired')
    throw ended(410, 'join-expired', 'This invitation has expired. Ask whoever sent it for another.')
}

/** Throws 409 where as many have come in as may. */
export function refuseUsed({ status }: LinkRow): void {
  if (status === 'used')
    throw ended(409, 'join-used', 'This invitation has been used up. Ask whoever sent it for another.')
}
