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
 * The outcome of a decision. `approval` is set if the device is approved at once, `pin` if a PIN must be entered on the
 * device first.
 */
export type DecideResult =
  | { kind: 'wrong number'; attemptsLeft: number }
  | { kind: 'denied' }
  | { kind: 'approved'; approval?: Approval; pin: string | null }

/**
 * Stores a user's decision; repeating it changes nothing. The third wrong number denies the device. Throws 400, 404,
 * 409 or 410.
 */
export async function decide(sql: Sql, vault: Vault, decision: Decision): Promise<DecideResult> {
  const { userCode, caller, action, match } = decision
  await store.lock(sql, userCode)
  const stored = await store.find(sql, userCode)
  const isSame = stored?.decision === (action === 'approve' ? 'approved' : 'denied') && stored.decidedBy === caller.id
  if (isSame && action === 'deny') return { kind: 'denied' }
  if (isSame) return { kind: 'approved', pin: openApproval(vault, stored.sealedApproval)?.pin ?? null }
  const request = requireUndecided(stored, caller.id)
  const isWrong = action === 'approve' && request.matchNumber !== null && request.matchNumber !== match
  const attemptsLeft = isWrong ? await store.countWrongNumber(sql, userCode) : undefined
  if (attemptsLeft) return { kind: 'wrong number', attemptsLeft }
  if (action === 'approve' && attemptsLeft === undefined) return approve(sql, vault, decision, request)
  await store.decide(sql, userCode, 'denied', caller.id)
  await recordDecision(sql, 'device.denied', decision, request, [])
  return { kind: 'denied' }
}

async function approve(sql: Sql, vault: Vault, decision: Decision, request: DeviceRequest): Promise<DecideResult> {
  const { userCode, caller } = decision
  const { id: userId, authTime, session } = caller
  const scopes = narrowScopes(request.scopes, decision.scopes)
  const signIn = session && { loginId: session.loginId, browserId: session.browserId }
  const approval = { userCode, userId, authTime, amr: session?.amr ?? [], acr: session?.acr ?? null, signIn, scopes }
  await store.decide(sql, userCode, 'approved', userId)
  await recordDecision(sql, 'device.approved', decision, request, scopes)
  if (request.isPinRequired) {
    const { pin, sealed } = sealApproval(vault, approval)
    await store.saveApproval(sql, userCode, sealed)
    return { kind: 'approved', pin }
  }
  await consents.addScopes(sql, userId, request.clientId, scopes)
  return { kind: 'approved', approval, pin: null }
}

/** Records the decision with both locations: `after` has the device's, and the visit is the user's. */
const recordDecision = (
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
 * Returns a request that is still undecided. Throws 404 if it is missing or another user decided it, 409 if this user
 * did, and 410 if it has expired.
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

/** Returns the granted scopes: all or some of the requested ones. Throws 400 for any other. */
function narrowScopes(requested: string[], granted: string[] | undefined): string[] {
  const unknown = granted?.find((scope) => !requested.includes(scope))
  if (unknown !== undefined)
    throw invalidRequest('Only requested scopes can be granted.', [
      { field: 'scopes', code: 'not-asked-for', message: `${unknown} was not requested` },
    ])
  return granted ?? requested
}
