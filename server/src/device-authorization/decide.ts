import * as consents from '../accounts/consent-store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { invalidRequest } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import type { Vault } from '../vault.ts'
import { type Approval, openApproval, sealApproval } from './approval.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

type DeviceRequest = store.DeviceRequest

interface Decision {
  userCode: string
  caller: Caller
  visit: Visit
  action: 'approve' | 'deny'
  match?: string | undefined
  scopes?: string[] | undefined
}

/**
 * The outcome of a decision. `approval` is set if the device is approved at once, `pin` if that must be entered on it
 * first.
 */
export type DecideResult =
  | { kind: 'wrong number'; left: number }
  | { kind: 'denied' }
  | { kind: 'approved'; approval?: Approval; pin: string | null }

/** Stores the decision, once; repeating it changes nothing. The third wrong number denies. */
export async function decide(sql: Sql, vault: Vault, decision: Decision): Promise<DecideResult> {
  const { userCode, caller, action, match } = decision
  await store.lock(sql, userCode)
  const stored = await store.find(sql, userCode)
  const isSame = stored?.decision === (action === 'approve' ? 'approved' : 'denied') && stored.decidedBy === caller.id
  if (isSame && action === 'deny') return { kind: 'denied' }
  if (isSame) return { kind: 'approved', pin: openApproval(vault, stored.sealedApproval)?.pin ?? null }
  const request = requireUndecided(stored, caller.id)
  const isWrong = action === 'approve' && request.matchNumber !== null && request.matchNumber !== match
  const left = isWrong ? await store.countWrongNumber(sql, userCode) : undefined
  if (left) return { kind: 'wrong number', left }
  if (action === 'approve' && left === undefined) return approve(sql, vault, decision, request)
  await store.decide(sql, userCode, 'denied', caller.id)
  await record(sql, 'device.denied', decision, request, [])
  return { kind: 'denied' }
}

async function approve(sql: Sql, vault: Vault, decision: Decision, request: DeviceRequest): Promise<DecideResult> {
  const { userCode, caller } = decision
  const { id: userId, authTime, session } = caller
  const scopes = narrowScopes(request.scopes, decision.scopes)
  const approval = { userCode, userId, authTime, amr: session?.amr ?? [], loginId: session?.loginId, scopes }
  await store.decide(sql, userCode, 'approved', userId)
  await record(sql, 'device.approved', decision, request, scopes)
  if (request.isPinRequired) {
    const { pin, sealed } = sealApproval(vault, approval)
    await store.saveApproval(sql, userCode, sealed)
    return { kind: 'approved', pin }
  }
  await consents.addScopes(sql, userId, request.clientId, scopes)
  return { kind: 'approved', approval, pin: null }
}

/** Includes both locations: the visit is the user's. */
const record = (
  sql: Sql,
  action: 'device.approved' | 'device.denied',
  { caller, visit }: Decision,
  { clientId, ip, userAgent, requestedAt }: DeviceRequest,
  scopes: string[],
) =>
  audit.record(sql, {
    action,
    actorId: caller.id,
    target: { kind: 'user', id: caller.id },
    after: { client: clientId, scopes: scopes.join(' '), device: { ip, userAgent, requestedAt } },
    visit,
  })

/**
 * Returns the request if it is still undecided. Decisions of other people look like a missing request; the user's own
 * make it used. Throws 404, 409 or 410.
 */
export function requireUndecided(request: DeviceRequest | undefined, userId: string): DeviceRequest {
  if (!request) throw problems.codeNotFound()
  if (request.decision) {
    if (request.decidedBy !== userId) throw problems.codeNotFound()
    throw problems.codeDecided(request.decision)
  }
  if (request.isExpired) throw problems.codeExpired()
  return request
}

/** Returns the granted scopes: the requested ones, or fewer. Throws 400. */
function narrowScopes(requested: string[], granted: string[] | undefined): string[] {
  const unknown = granted?.find((scope) => !requested.includes(scope))
  if (unknown !== undefined)
    throw invalidRequest('Only requested scopes can be granted.', [
      { field: 'body.scopes', code: 'not-asked-for', message: `${unknown} was not requested` },
    ])
  return granted ?? requested
}
