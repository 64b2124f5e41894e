import { randomInt } from 'node:crypto'
import { pinDigits } from '@passport/contract/device-authorization'
import type { SignIn } from '../accounts/session-store.ts'
import type { Vault } from '../vault.ts'

/** An approved device authorization, with the approving user's authentication. */
export interface Approval {
  userCode: string
  userId: string
  /** ISO 8601. */
  authTime: string
  amr: string[]
  acr: string | null
  /** The sign-in that started their session. */
  signIn?: SignIn | undefined
  scopes: string[]
}

const purpose = 'device-approval'

/** Generates a PIN, and encrypts the approval with it: a reader of the tables learns neither. */
export function sealApproval(vault: Vault, approval: Approval): { pin: string; sealed: string } {
  const pin = String(randomInt(10 ** pinDigits)).padStart(pinDigits, '0')
  return { pin, sealed: vault.seal(purpose, JSON.stringify({ pin, approval })) }
}

/** Decrypts the pending approval and its PIN; undefined if there is none. */
export function openApproval(vault: Vault, sealed: string | null): { pin: string; approval: Approval } | undefined {
  const text = sealed === null ? undefined : vault.open(purpose, sealed)
  return text === undefined ? undefined : JSON.parse(text)
}
