import * as consents from '../accounts/consent-store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import { isSameSecret, type Vault } from '../vault.ts'
import { type Approval, openApproval } from './approval.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface PinSubmission {
  deviceCode: string
  pin: string
  visit: Visit
}

/** The outcome of a PIN: confirmed, denied after the last attempt, or wrong with the remaining attempts. */
export type ConfirmResult =
  | { kind: 'confirmed' | 'denied'; approval: Approval }
  | { kind: 'wrong pin'; attemptsLeft: number }

/** Checks a PIN entered on a device, and stores the outcome. Throws 404, 409 or 410 if none is expected. */
export async function confirm(
  sql: Sql,
  vault: Vault,
  { deviceCode, pin, visit }: PinSubmission,
): Promise<ConfirmResult> {
  const request = await store.lockByDeviceCode(sql, deviceCode)
  const { pin: expectedPin, approval } = requirePendingApproval(vault, request)
  const { userCode, userId, scopes } = approval
  const clientId = request?.clientId ?? ''
  const event = {
    target: { kind: 'user' as const, id: userId },
    after: { client: clientId, scopes: scopes.join(' ') },
    visit,
  }
  if (isSameSecret(pin, expectedPin)) {
    await store.confirm(sql, userCode)
    await consents.addScopes(sql, userId, clientId, scopes)
    await audit.record(sql, { ...event, action: 'device.confirmed' })
    return { kind: 'confirmed', approval }
  }
  const attemptsLeft = await store.countWrongPin(sql, userCode)
  if (attemptsLeft > 0) return { kind: 'wrong pin', attemptsLeft }
  await store.decide(sql, userCode, 'denied', userId)
  await audit.record(sql, { ...event, action: 'device.denied', reason: 'wrong-pin' })
  return { kind: 'denied', approval }
}

/**
 * Returns the approval that awaits its PIN. Throws 404, 409 or 410 otherwise: a PIN before the approval is not checked,
 * and costs no attempt.
 */
function requirePendingApproval(vault: Vault, request: store.DeviceRequest | undefined) {
  if (!request?.isPinRequired) throw problems.pinNotRequired()
  if (request.decision === 'denied') throw problems.denied()
  if (request.isExpired) throw problems.codeExpired()
  if (request.decision === null) throw problems.notDecided()
  const opened = openApproval(vault, request.sealedApproval)
  if (!opened) throw problems.pinEntered()
  return opened
}
