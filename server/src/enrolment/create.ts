import type { Enrolment, EnrolmentObstacle } from '@passport/contract/enrolment'
import { enrolmentHours } from '@passport/contract/enrolment-hours'
import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import type { Problem } from '../http/problem.ts'
import { userNotFound } from '../http/problems.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import type { Visit } from '../http/visit.ts'
import { requireMayHandOver } from '../roles/change.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import * as problems from './problems.ts'
import { findSignInName } from './sign-in-name.ts'
import * as store from './store.ts'

interface CreateContext {
  caller: Caller
  visit: Visit
}

type Directory = Pick<Services, 'upstreams'>

/** Reports whether users can set passwords here: the built-in directory is among the identity providers. */
export const isDirectoryOn = ({ upstreams }: Directory): boolean => upstreams.all.some(({ kind }) => kind === 'local')

const obstacles: Record<EnrolmentObstacle, () => Problem> = {
  'directory-off': problems.directoryOff,
  'enrolment-has-sign-in': problems.hasSignIn,
  'enrolment-disabled': problems.disabled,
  'enrolment-name-required': problems.nameRequired,
}

/** Returns why a user gets no link, and the link that can be used now. Throws 404 for a deleted user. */
export async function readEnrolment(sql: Sql, services: Directory, userId: string): Promise<Enrolment> {
  if (!(await users.find(sql, userId))) throw userNotFound()
  const obstacle = await findObstacle(sql, services, await users.findPrepared(sql, userId))
  const link = obstacle === null ? await store.findLive(sql, userId) : undefined
  return { obstacle, link: link ? toEnrolmentLink(link) : null }
}

/** Reports whether an account gets a link, from a caller who may give what it has. */
export const canEnrol = async (sql: Sql, services: Directory, userId: string): Promise<boolean> =>
  (await findObstacle(sql, services, await users.findPrepared(sql, userId))) === null

async function findObstacle(
  sql: Sql,
  services: Directory,
  prepared: users.User | undefined,
): Promise<EnrolmentObstacle | null> {
  if (!isDirectoryOn(services)) return 'directory-off'
  if (!prepared) return 'enrolment-has-sign-in'
  if (prepared.disabledAt !== null) return 'enrolment-disabled'
  return (await findSignInName(sql, prepared)) === undefined ? 'enrolment-name-required' : null
}

export const toEnrolmentLink = ({ id, createdAt, expiresAt, openedAt }: store.LinkRow) => ({
  id,
  createdAt,
  expiresAt,
  openedAt,
})

/**
 * Creates the link of an account that never had a sign-in method, in place of an earlier one. Returns it with its token,
 * which is not stored. Throws 404, 409, and 403 `role-not-yours-to-give` if the account has a role that the caller may not
 * give.
 */
export function createLink(
  sql: Sql,
  services: Directory,
  userId: string,
  context: CreateContext,
): Promise<{ link: store.LinkRow; token: string }> {
  return transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    await recheckCaller(sql, context.caller)
    if (!(await users.lock(sql, userId))) throw userNotFound()
    const token = generateToken()
    return { link: await addLink(sql, services, { userId, invitationId: null, token }, context), token }
  })
}

/** Adds a link in a transaction that has locked changes of roles. Throws like `createLink`, and 401 for an old sign-in. */
export async function addLink(
  sql: Sql,
  services: Directory,
  { userId, invitationId, token }: { userId: string; invitationId: string | null; token: string },
  { caller, visit }: CreateContext,
): Promise<store.LinkRow> {
  const obstacle = await findObstacle(sql, services, await users.lockPrepared(sql, userId))
  if (obstacle !== null) throw obstacles[obstacle]()
  requireRecentAuthentication(caller)
  await requireMayHandOver(sql, caller, userId)
  await store.revokeOf(sql, userId)
  const created = { id: uuid(), userId, invitationId, createdBy: caller.id, hours: enrolmentHours }
  const link = await store.add(sql, { ...created, tokenHash: hashToken(token) })
  await audit.record(sql, {
    action: 'user.enrolment-link-created',
    actorId: caller.id,
    target: { kind: 'user', id: userId },
    after: { enrolmentLink: link.id, expiresAt: link.expiresAt, invitation: invitationId },
    visit,
  })
  return link
}

/** Returns the URL of a link. Its token is in the fragment, which browsers do not send. */
export const formatLinkUrl = (publicUrl: string, token: string): string => `${publicUrl}/idp/enrol#${token}`
