import * as audit from '../audit/store.ts'
import * as consents from '../consents/store.ts'
import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { isSameSecret, type Vault } from '../vault.ts'
import { type Approval, openApproval } from './approval.ts'
import { codeExpired, wrongGuess } from './decide.ts'
import * as store from './store.ts'

interface Guess {
  deviceCode: string
  pin: string
  visit: Visit
}

/** What a PIN came to: the device may come in, is kept out as it was the last try, or has some `left`. */
export type Confirmed = { kind: 'confirmed' | 'denied'; approval: Approval } | { kind: 'wrong pin'; left: number }

/** Judges a PIN that was typed on a device, and keeps what it came to. Throws 404, 409 or 410 where none is waited for. */
export async function confirm(sql: Sql, vault: Vault, { deviceCode, pin, visit }: Guess): Promise<Confirmed> {
  const request = await store.lockByDeviceCode(sql, deviceCode)
  const { pin: wanted, approval } = waiting(vault, request)
  const { userCode, userId, scopes } = approval
  const client = request?.clientId ?? ''
  const event = { target: { kind: 'user' as const, id: userId }, after: { client, scopes: scopes.join(' ') }, visit }
  if (isSameSecret(pin, wanted)) {
    await store.confirm(sql, userCode)
    await consents.allow(sql, userId, client, scopes)
    await audit.record(sql, { ...event, action: 'device.confirmed' })
    return { kind: 'confirmed', approval }
  }
  const left = await store.countWrongPin(sql, userCode)
  if (left > 0) return { kind: 'wrong pin', left }
  await store.decide(sql, userCode, 'denied', userId)
  await audit.record(sql, { ...event, action: 'device.denied', reason: 'wrong-pin' })
  return { kind: 'denied', approval }
}

/** The approval that waits for its PIN. A guess before it is there is not judged, and costs no try. */
function waiting(vault: Vault, request: store.DeviceRequest | undefined) {
  if (!request?.isPinRequired) throw new Problem(404, 'device-code-not-found', 'No PIN is asked for with this code.')
  if (request.decision === 'denied') throw new Problem(409, 'device-code-denied', 'The device was kept out.')
  if (request.isExpired) throw codeExpired()
  if (request.decision === null) throw new Problem(409, 'device-code-pending', 'Nobody has approved the device yet.')
  const opened = openApproval(vault, request.sealedApproval)
  if (!opened) throw new Problem(409, 'device-code-used', 'The PIN was given already.')
  return opened
}

export const wrongPin = (left: number): Problem =>
  wrongGuess({ field: 'body.pin', code: 'pin-wrong', left }, 'That is not the PIN that was shown at the approval.')
