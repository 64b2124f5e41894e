import { foldEmail } from '@passport/contract/email'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { createAddressFailureCounter, createFailureCounter } from '../http/counters.ts'
import { subscriberOf, type Visit } from '../http/visit.ts'
import { type MailContext, sendMail } from '../mail/send.ts'
import * as users from '../users/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import { hashPassword } from './password.ts'
import { codeMinutes, generateCode, judgeCode, maxWrongCodes, normaliseCode } from './sign-up-code.ts'
import * as signUps from './sign-up-store.ts'
import * as store from './store.ts'

/** The number of mails to one address in an hour. */
export const maxMails = 5
/** The number of mails in an hour on behalf of one network address, which an office may share. */
const maxMailsOfNetwork = 60
const hourSeconds = 60 * 60
/** The time to enter the code, with new codes. */
const pendingSeconds = hourSeconds
/** The time between the right code and the sign-in to which the browser is redirected. */
export const redeemSeconds = 5 * 60

/** The values of the form, valid. */
export interface SignUpInput {
  email: string
  displayName: string
  password: string
  returnTo: string
  interaction: string | null
}

/** The token of the browser, or the seconds until the next mail may be sent. */
type Begun = { token: string } | { waitSeconds: number }

/**
 * Stores a sign-up and mails its code. An address that has an account gets a mail that says so instead; the work and the
 * result are the same, so that they do not reveal who has an account. Throws 503 `too-busy`.
 */
export async function beginSignUp(services: Services, input: SignUpInput, visit: Visit): Promise<Begun> {
  const { sql } = services
  const email = foldEmail(input.email)
  const waitSeconds = await countMail(services, email, visit)
  if (waitSeconds > 0) return { waitSeconds }
  const passwordHash = await hashPassword(input.password, services.config.passwordCost)
  const token = generateToken()
  await transaction(sql, async (sql) => {
    const codeHash = await mailCode(sql, services, email, token)
    const lifetimes = { codeSeconds: codeMinutes * 60, seconds: pendingSeconds }
    await signUps.save(sql, token, { ...input, email, passwordHash }, { codeHash, ...lifetimes })
  })
  return { token }
}

/** Mails a new code, and invalidates the former. Returns the seconds until that is possible; 0 if it is sent. */
export async function resendCode(services: Services, token: string, email: string, visit: Visit): Promise<number> {
  const waitSeconds = await countMail(services, email, visit)
  if (waitSeconds > 0) return waitSeconds
  await transaction(services.sql, async (sql) => {
    const signUp = await signUps.lock(sql, token)
    if (!signUp || signUp.personId) return
    const codeHash = await mailCode(sql, services, signUp.email, token)
    await signUps.renewCode(sql, token, { codeHash, codeSeconds: codeMinutes * 60 })
  })
  return 0
}

/** Counts a mail to an address. Returns the seconds until it may be sent; 0 if it may be sent now. */
async function countMail({ sql, http }: Services, email: string, visit: Visit): Promise<number> {
  const byNetwork = createAddressFailureCounter(sql, {
    name: 'sign-up-network',
    maxFailures: maxMailsOfNetwork,
    lockSeconds: hourSeconds,
    networkOf: subscriberOf,
  })
  const networkSeconds = http.isLocal(visit) ? 0 : await byNetwork.begin(visit.ip)
  if (networkSeconds > 0) return networkSeconds
  return createFailureCounter(sql, 'sign-up-mail', maxMails, hourSeconds).begin(hashToken(email))
}

/** Mails a code, or the notice that the address has an account. Returns the hash of the code; null without one. */
async function mailCode(sql: Sql, mailContext: MailContext, email: string, token: string): Promise<string | null> {
  const code = generateCode()
  const isKnown = await hasAccount(sql, email)
  // The name is not in the mail: anyone can enter a name and the address of another person.
  const to = { name: null, address: email }
  if (isKnown) await sendMail(sql, mailContext, to, 'account-exists', {})
  else await sendMail(sql, mailContext, to, 'sign-up-code', { code, minutes: codeMinutes })
  return isKnown ? null : hashCode(code, token)
}

/** Reports whether a user signs in with this address: in the directory, or verified in an account that was used. */
export async function hasAccount(sql: Sql, email: string): Promise<boolean> {
  const inDirectory = await store.findBySignInName(sql, email)
  const inAccounts = await users.isVerifiedInUse(sql, email)
  // An address that another user only states does not keep its owner out.
  return (inDirectory !== undefined && (inDirectory.emailVerified || inDirectory.name === email)) || inAccounts
}

/** Only the browser has the token, so a reader of the database cannot try all codes. */
const hashCode = (code: string, token: string) => hashToken(`${code} ${token}`)

/** The result of a typed code. */
export type Confirmation =
  | { outcome: 'confirmed'; signUp: signUps.SignUp }
  | { outcome: 'invalid' | 'expired' | 'exhausted' | 'taken' | 'missing' }
  | { outcome: 'wrong'; triesLeft: number }

/** Adds the user to the directory if the code is right. Of concurrent calls, one adds the user and all succeed. */
export async function confirmSignUp(sql: Sql, token: string, typed: string, visit: Visit): Promise<Confirmation> {
  const code = normaliseCode(typed)
  if (code === undefined) return { outcome: 'invalid' }
  return transaction(sql, async (sql): Promise<Confirmation> => {
    const signUp = await signUps.lock(sql, token)
    if (!signUp) return { outcome: 'missing' }
    const isConfirmed = signUp.personId !== null
    const verdict = judgeCode({ ...signUp, isConfirmed, isRight: signUp.codeHash === hashCode(code, token) })
    if (verdict === 'confirmed') return { outcome: 'confirmed', signUp }
    if (verdict === 'expired' || verdict === 'exhausted') return { outcome: verdict }
    if (verdict === 'wrong') {
      await signUps.countWrongCode(sql, token)
      const triesLeft = maxWrongCodes - signUp.wrongCodes - 1
      if (triesLeft > 0) return { outcome: 'wrong', triesLeft }
      await audit.record(sql, {
        action: 'directory.sign-up-stopped',
        target: { kind: 'attempt', id: null },
        reason: 'code-wrong',
        visit,
      })
      return { outcome: 'exhausted' }
    }
    await users.lockEmails(sql)
    if (await hasAccount(sql, signUp.email)) return { outcome: 'taken' }
    const { email, displayName, passwordHash } = signUp
    const personId = await store.add(sql, { name: email, displayName, email, passwordHash, isDemoUser: false })
    await audit.record(sql, {
      action: 'directory.signed-up',
      target: { kind: 'directory-person', id: personId },
      after: { email, displayName },
      visit,
    })
    await signUps.markConfirmed(sql, token, personId, redeemSeconds)
    return { outcome: 'confirmed', signUp }
  })
}
