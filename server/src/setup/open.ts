import { setupHours } from '@passport/contract/setup'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { isAdministrator, type SetupCaller, toSetupCaller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { setupCookie } from '../http/identify.ts'
import * as problems from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import { loadInviter } from '../invitations/inviter.ts'
import { generateToken, hashToken } from '../vault.ts'
import * as store from './store.ts'

interface OpenedLink {
  caller: SetupCaller
  /** The same browser had opened the link before. */
  isReopened: boolean
}

/**
 * Gives a set-up link to the first browser that opens it, as a cookie; that browser may open it again. Throws 404
 * `setup-link-unknown`, and 410 for a link that another browser has, or whose use has ended.
 */
export async function openLink(
  sql: Sql,
  token: string,
  { cookies, visit }: { cookies: Cookies; visit: Visit },
): Promise<OpenedLink> {
  const cookie = generateToken()
  const opened = await transaction(sql, async (sql) => {
    const link = await store.lockByToken(sql, hashToken(token))
    if (!link) throw problems.setupLinkUnknown()
    await requireLive(sql, link)
    if (link.status === 'opened') {
      const own = cookies.get(setupCookie.name)
      if (own === undefined || hashToken(own) !== link.sessionHash) throw problems.setupLinkUsed()
      return { caller: toSetupCaller(link), isReopened: true }
    }
    const { ip, userAgent } = visit
    await store.open(sql, link.id, { sessionHash: hashToken(cookie), hours: setupHours, ip, userAgent })
    const after = await store.findBySession(sql, hashToken(cookie))
    if (!after) throw problems.setupLinkUnknown()
    await audit.record(sql, {
      action: 'org.setup-link-opened',
      actorId: null,
      target: { kind: 'org', id: link.orgId },
      before: { status: 'open' },
      after: { setupLink: link.id, status: 'opened', expiresAt: after.expiresAt },
      visit,
    })
    return { caller: toSetupCaller(after), isReopened: false }
  })
  if (!opened.isReopened)
    cookies.set(setupCookie.name, cookie, { path: setupCookie.path, maxAgeSeconds: setupHours * 60 * 60 })
  return opened
}

/** Returns the browser of a set-up link by its cookie. Throws 401 without a link, and 410 once its use has ended. */
export async function findCallerBySetupLink(sql: Sql, cookie: string | undefined): Promise<SetupCaller> {
  const link = cookie === undefined ? undefined : await store.findBySession(sql, hashToken(cookie))
  if (!link) throw problems.setupLinkRequired()
  await requireLive(sql, link)
  return toSetupCaller(link)
}

/**
 * Throws 410 with the reason why a link can no longer be used. Like a join link, it works by the rights that its creator
 * has now: while they are disabled, or no longer own the organisation, it gives nothing.
 */
async function requireLive(sql: Sql, { status, endedBy, orgId, createdBy }: store.LinkRow): Promise<void> {
  if (status === 'revoked') throw problems.setupLinkRevoked()
  if (endedBy === 'enabled' || endedBy === 'deleted') throw problems.setupLinkEnded(endedBy)
  if (status === 'expired') throw problems.setupLinkExpired()
  const creator = await loadInviter(sql, createdBy)
  const isOwner = creator.orgs.some(({ id, role }) => id === orgId && role === 'owner')
  if (!isOwner && !isAdministrator(creator)) throw problems.setupLinkRevoked()
}
