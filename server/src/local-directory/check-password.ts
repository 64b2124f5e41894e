import * as audit from '../audit/store.ts'
import type { Services } from '../feature.ts'
import type { CountedAttempt } from '../http/counters.ts'
import type { Page, PageRequest, PageResult } from '../http/page.ts'
import { cutText } from '../http/storable-text.ts'
import { ProofExpired } from '../login/claim.ts'
import { findBrowserToken } from '../login/new-device.ts'
import { type Proof, type SignInAccount, selectAccount } from '../login/store.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import { createDummyHashes } from './dummy-hash.ts'
import type { FormValues } from './form.ts'
import { notifyOfGuesses } from './guess-notice.ts'
import { createLockout, type FailureResult, rememberDevice } from './lockout.ts'
import { upgradeHash, verifyPassword } from './password.ts'
import * as store from './store.ts'

/** What a sign-in is for, for the record of a wrong password. */
interface SignInContext {
  domain?: string | undefined
  clientId?: string | undefined
  trace: Trace
}

/** A user whose password was right. */
interface Verified {
  user: store.DirectoryUser
  /** Their account at this server, if they have one. */
  account: SignInAccount | undefined
  /** Holds until the password is changed. */
  proof: Proof
}

interface Answers {
  /** Completes the sign-in. May throw `ProofExpired`: then the password is wrong. */
  accept: (verified: Verified) => Promise<PageResult>
  /** Shows the form again. */
  refuse: (values: FormValues) => Promise<Page>
}

/** Checks a submitted form, and answers it. Throws 503 `too-busy`, and what `accept` throws. */
export type CheckPassword = (request: PageRequest, context: SignInContext, answers: Answers) => Promise<PageResult>

/** Creates the check of names and passwords, which limits and records wrong ones. */
export function createPasswordCheck(services: Services): CheckPassword {
  const { sql, vault, http, log } = services
  const { passwordCost } = services.config
  const limitAttempt = createLockout(sql, vault, http.isLocal)
  const findDummyHash = createDummyHashes(sql, vault, log, passwordCost)

  return async (request, { domain, clientId, trace }, { accept, refuse }) => {
    const { visit, cookies, form } = request
    const name = cutText((form.get('name') ?? '').trim(), 256)
    const password = form.get('password') ?? ''
    trace.begin('password-checked')
    const attempt = limitAttempt({ name, ip: visit.ip, cookies })
    const browserToken = findBrowserToken(cookies, http.isSecure)
    const { user, counted, account } = await store.beginSignIn<CountedAttempt[], SignInAccount>(sql, name, {
      count: (id) => attempt.count(id),
      readAccount: (subject) => selectAccount(sql, { issuer: store.identityIssuer, subject, browserToken }),
    })
    const lockedSeconds = await attempt.conclude(counted)
    if (lockedSeconds > 0) {
      trace.fail('password-locked', { seconds: lockedSeconds })
      return refuse({ name, errorMessage: formatLockError(lockedSeconds) })
    }

    const check = async () => {
      // An unknown name has a hash of its own, so that the time of the check does not reveal it.
      const dummyHash = await findDummyHash(name)
      const matched = await verifyPassword(user?.passwordHash ?? dummyHash, password)
      if (matched === undefined || !user) return undefined
      await upgradeHash(sql, user, matched, passwordCost)
      return user
    }
    const verified = await check().catch(async (error) => {
      await attempt.cancel(user)
      throw error
    })
    const refuseWrong = async () => {
      const failure = await attempt.fail(user)
      trace.about({ userId: account?.userId })
      await recordFailure(services, request, { user, account }, { ...failure, domain, client: clientId })
      const known = user ? 'known' : 'unknown'
      trace.fail('password-wrong', { account: known, locked: failure.isLocked || undefined }, 'password-checked')
      if (user && failure.isGuessLimitReached) notifyOfGuesses(services, user)
      return refuse({ name, errorMessage: 'Wrong username or password.' })
    }
    if (!verified) return refuseWrong()

    trace.pass('password-checked')
    const proof: Proof = {
      condition: store.selectUnchanged(sql, verified),
      toConsequences: (condition) => attempt.succeed(verified, condition),
    }
    const remember = () => rememberDevice(cookies, vault, name)
    try {
      const result = await accept({ user: verified, account, proof })
      remember()
      return result
    } catch (error) {
      if (error instanceof ProofExpired) return refuseWrong()
      remember()
      throw error
    }
  }
}

function formatLockError(seconds: number): string {
  if (seconds > 90 * 60)
    return `Too many wrong passwords. Try again in ${Math.ceil(seconds / 3600)} hours, or in a browser in which you have signed in with this username before.`
  return `Too many wrong passwords. Try again in ${seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`}.`
}

/** Records a failed sign-in for the account of the user. An unknown name is not stored, because it may be a password. */
async function recordFailure(
  { sql, activity }: Services,
  { visit }: PageRequest,
  { user, account }: { user: store.DirectoryUser | undefined; account: SignInAccount | undefined },
  {
    isLocked,
    isGuessLimitReached,
    domain,
    client,
  }: FailureResult & { domain?: string | undefined; client?: string | undefined },
): Promise<void> {
  activity.countSignIn('password-wrong')
  const target = account
    ? { kind: 'user' as const, id: account.userId }
    : { kind: 'directory-person' as const, id: user?.id ?? null }
  const after = { idp: 'local', ...(domain && { domain }), ...(client && { client }) }
  const event = { target, after, reason: 'password-wrong', visit }
  await audit.recordAll(sql, [
    { ...event, action: isLocked ? 'directory.locked' : 'directory.password-refused' },
    ...(isGuessLimitReached ? [{ ...event, action: 'directory.guesses-stopped' as const }] : []),
  ])
}
