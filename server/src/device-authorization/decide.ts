import * as audit from '../audit/store.ts'
import * as consents from '../consents/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import type { Vault } from '../vault.ts'
import { type Approval, openApproval, sealApproval } from './approval.ts'
import * as store from './store.ts'

type DeviceRequest = store.DeviceRequest

interface Wish {
  userCode: string
  caller: Caller
  visit: Visit
  action: 'approve' | 'deny'
  match?: string | undefined
  scopes?: string[] | undefined
}

/** What a wish came to. `approval` is there where the device may come in at once, `pin` where it must be typed on it first. */
export type Decided =
  | { kind: 'wrong number'; left: number }
  | { kind: 'denied' }
  | { kind: 'approved'; approval?: Approval; pin: string | null }

/** Keeps what the person decided, once; to decide so again changes nothing. The third wrong number denies. */
export async function decide(sql: Sql, vault: Vault, wish: Wish): Promise<Decided> {
  const { userCode, caller, action, match } = wish
  await store.lock(sql, userCode)
  const found = await store.find(sql, userCode)
  const isSame = found?.decision === (action === 'approve' ? 'approved' : 'denied') && found.decidedBy === caller.id
  if (isSame && action === 'deny') return { kind: 'denied' }
  if (isSame) return { kind: 'approved', pin: openApproval(vault, found.sealedApproval)?.pin ?? null }
  const request = openRequest(found, caller.id)
  const isWrong = action === 'approve' && request.matchNumber !== null && request.matchNumber !== match
  const left = isWrong ? await store.countWrongNumber(sql, userCode) : undefined
  if (left) return { kind: 'wrong number', left }
  if (action === 'approve' && left === undefined) return approve(sql, vault, wish, request)
  await store.decide(sql, userCode, 'denied', caller.id)
  await record(sql, 'device.denied', wish, request, [])
  return { kind: 'denied' }
}

async function approve(sql: Sql, vault: Vault, wish: Wish, request: DeviceRequest): Promise<Decided> {
  const { userCode, caller } = wish
  const { id: userId, authTime, session } = caller
  const scopes = narrowedScopes(request.scopes, wish.scopes)
  const approval = { userCode, userId, authTime, amr: session?.amr ?? [], loginId: session?.loginId, scopes }
  await store.decide(sql, userCode, 'approved', userId)
  await record(sql, 'device.approved', wish, request, scopes)
  if (request.isPinRequired) {
    const { pin, sealed } = sealApproval(vault, approval)
    await store.keepApproval(sql, userCode, sealed)
    return { kind: 'approved', pin }
  }
  await consents.allow(sql, userId, request.clientId, scopes)
  return { kind: 'approved', approval, pin: null }
}

/** With where both ends are: the visit is that of the person. */
const record = (
  sql: Sql,
  action: 'device.approved' | 'device.denied',
  { caller, visit }: Wish,
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

export const noSuchCode = (): Problem =>
  new Problem(404, 'device-code-not-found', 'There is no such code. Look at your device again.')

export const codeExpired = (): Problem =>
  new Problem(410, 'device-code-expired', 'The code has expired. Start again on your device.')

/**
 * The request, where the person may still say something about it. What somebody else decided looks as if it had never
 * been there; to who decided it themselves it is used. Throws 404, 409 or 410.
 */
export function openRequest(request: DeviceRequest | undefined, userId: string): DeviceRequest {
  if (!request) throw noSuchCode()
  if (request.decision) {
    if (request.decidedBy !== userId) throw noSuchCode()
    throw new Problem(409, 'device-code-used', `You have ${request.decision} this device already.`)
  }
  if (request.isExpired) throw codeExpired()
  return request
}

/** The scopes that are allowed: those asked for, or fewer. Throws 400. */
function narrowedScopes(asked: string[], wanted: string[] | undefined): string[] {
  const unknown = wanted?.find((scope) => !asked.includes(scope))
  if (unknown !== undefined)
    throw new Problem(400, 'invalid-request', 'A scope may be left out, and none added.', {
      errors: [{ field: 'body.scopes', code: 'not-asked-for', message: `${unknown} was not asked for` }],
    })
  return wanted ?? asked
}

export const wrongNumber = (left: number): Problem =>
  wrongGuess({ field: 'body.match', code: 'match-wrong', left }, 'That is not the number that the device shows.')

/** A wrong guess that was not the last one; programs find in `attemptsLeft` how many are left. */
export function wrongGuess(
  { field, code, left }: { field: string; code: string; left: number },
  detail: string,
): Problem {
  const errors = [{ field, code, message: `${left} more ${left === 1 ? 'try' : 'tries'}` }]
  return new Problem(400, code, detail, { errors, members: { attemptsLeft: left } })
}

/** A wrong guess that was the last one. */
export const keptOut = (what: 'number' | 'PIN'): Problem =>
  new Problem(409, 'device-code-denied', `The ${what} was wrong three times: the device was kept out.`)
