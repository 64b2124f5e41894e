import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import type { MailContext } from '../mail/send.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as users from '../users/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import * as moves from './move-store.ts'
import { notifyOfMove } from './notices.ts'
import * as pending from './pending-store.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** The user that gets an account, and the origin of the request. */
interface ConnectContext {
  caller: { id: string; roles: ReadonlySet<string> }
  visit: Visit
}

/** A confirmed account; with `move`, it is taken from another user. */
interface Confirmation {
  linkId: string
  move?: boolean | undefined
}

/**
 * Connects an account to the user of a session that has proven it. Throws 404, 410, and 409 `external-account-in-use`,
 * `already-linked` and `moved-recently`.
 */
export function confirm(
  services: MailContext & { sql: Sql },
  key: pending.PendingKey,
  { linkId, move = false }: Confirmation,
  context: ConnectContext & { serviceName: string },
): Promise<void> {
  return transaction(services.sql, async (sql) => {
    const account = await pending.findAccount(sql, key, linkId)
    if (!account) throw problems.linkNotFound()
    if (account.isExpired) throw problems.linkExpired()
    const ownerId = await findOtherOwner(sql, account, context)
    if (ownerId === undefined) return
    if (!move) throw problems.externalAccountInUse()
    await take(sql, services, account, ownerId, context)
  })
}

/** Connects an account that the user has proven otherwise. Throws 409 like `confirm`, and never moves an account. */
export function connect(sql: Sql, account: store.ExternalAccount, context: ConnectContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const ownerId = await findOtherOwner(sql, account, context)
    if (ownerId !== undefined) throw problems.externalAccountInUse()
  })
}

/**
 * Connects an account unless another user has it, whose id it returns with the connection locked. Connecting an account
 * again changes nothing.
 */
async function findOtherOwner(
  sql: Sql,
  account: store.ExternalAccount,
  { caller, visit }: ConnectContext,
): Promise<string | undefined> {
  // Serializes the connections of a user; every path locks users before connections.
  await users.lock(sql, caller.id)
  await recheckCaller(sql, caller)
  const owned = await store.list(sql, caller.id)
  const current = owned.find(({ connector }) => connector === account.connector)
  if (current?.externalId === account.externalId) return undefined
  if (current) throw problems.alreadyLinked()
  if (await store.add(sql, caller.id, account)) {
    await recordLinked(sql, caller.id, account, { visit })
    return undefined
  }
  const ownerId = await store.lockOwner(sql, account)
  // The owner has removed the account since the attempt to add it.
  return ownerId ?? findOtherOwner(sql, account, { caller, visit })
}

/** Moves an account from its owner to the caller, and notifies both. */
async function take(
  sql: Sql,
  services: MailContext,
  account: store.ExternalAccount,
  ownerId: string,
  { caller, visit, serviceName }: ConnectContext & { serviceName: string },
): Promise<void> {
  const { connector, externalId, label } = account
  const token = generateToken()
  const move = { connector, externalId, fromUserId: ownerId, toUserId: caller.id }
  if (!(await moves.record(sql, move, hashToken(token)))) throw problems.movedRecently()
  const removed = await store.removeAccount(sql, account)
  await store.add(sql, caller.id, account)
  await audit.record(sql, {
    action: 'connection.moved',
    actorId: caller.id,
    target: { kind: 'user', id: ownerId },
    before: { connector, externalId, label: removed?.label ?? label, user: ownerId },
    after: { connector, externalId, label, user: caller.id },
    visit,
  })
  await recordLinked(sql, caller.id, account, { visit, reason: 'moved' })
  await notifyOfMove(sql, services, { ...move, label, serviceName, token })
}

const recordLinked = (
  sql: Sql,
  userId: string,
  { connector, externalId, label }: store.ExternalAccount,
  origin: Pick<audit.AuditEvent, 'visit' | 'reason'>,
) =>
  audit.record(sql, {
    action: 'connection.linked',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { connector, externalId, label },
    ...origin,
  })
