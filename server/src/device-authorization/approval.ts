import { randomInt } from 'node:crypto'
import { pinDigits } from '@passport/contract/device-authorization'
import type { Vault } from '../vault.ts'

/** What a person allowed a device, with how they proved who they are. */
export interface Approval {
  userCode: string
  userId: string
  /** ISO 8601. */
  authTime: string
  amr: string[]
  /** The login by which they were signed in. */
  loginId?: string | undefined
  scopes: string[]
}

const purpose = 'device-approval'

/** A new PIN, and the approval sealed with it: who reads the tables learns neither. */
export function sealApproval(vault: Vault, approval: Approval): { pin: string; sealed: string } {
  const pin = String(randomInt(10 ** pinDigits)).padStart(pinDigits, '0')
  return { pin, sealed: vault.seal(purpose, JSON.stringify({ pin, approval })) }
}

/** The approval that waits, and its PIN; undefined where none does. */
export function openApproval(vault: Vault, sealed: string | null): { pin: string; approval: Approval } | undefined {
  const text = sealed === null ? undefined : vault.open(purpose, sealed)
  return text === undefined ? undefined : JSON.parse(text)
}
