import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Services } from '../feature.ts'
import type { PageRequest } from '../http/page.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import type { FormValues } from './form.ts'
import { notifyOfGuesses } from './guess-notice.ts'
import { createLockout, type FailureResult, type PasswordAttempt } from './lockout.ts'
import { upgradeHash, verifyPassword } from './password.ts'
import * as store from './store.ts'

/** What a sign-in is for, for the record of a wrong password. */
interface SignInContext {
  domain?: string | undefined
  clientId?: string | undefined
  trace: Trace
}

/** Checks a submitted form. Returns the user, or the values of the form to show again. Throws 503 `too-busy`. */
export type CheckPassword = (
  request: PageRequest,
  context: SignInContext,
) => Promise<{ user: store.DirectoryUser } | { values: FormValues }>

/** Creates the check of names and passwords, which limits and records wrong ones. */
export function createPasswordCheck(services: Services): CheckPassword {
  const { sql, vault, http } = services
  const { passwordCost } = services.config
  const lockout = createLockout(sql, vault, http.isLocal)

  return async (request, { domain, clientId, trace }) => {
    const { visit, cookies, form } = request
    const name = (form.get('name') ?? '').trim().slice(0, 256)
    trace.begin('password-checked')
    const user = await store.findBySignInName(sql, name)
    const attempt: PasswordAttempt = { name, account: user?.name ?? name, ip: visit.ip, cookies }
    const lockedSeconds = await lockout.begin(attempt)
    if (lockedSeconds > 0) {
      trace.fail('password-locked', { seconds: lockedSeconds })
      return { values: { name, errorMessage: formatLockError(lockedSeconds) } }
    }
    const isCorrect = await verifyPassword(user?.passwordHash, form.get('password') ?? '', passwordCost).catch(
      async (error) => {
        await lockout.cancel(attempt)
        throw error
      },
    )
    if (!isCorrect) {
      const failure = await lockout.fail(attempt)
      const target = await recordFailure(services, request, user, {
        ...failure,
        ...(domain && { domain }),
        ...(clientId && { client: clientId }),
      })
      if (target.kind === 'user') trace.about({ userId: target.id ?? undefined })
      trace.fail('password-wrong', { account: user ? 'known' : 'unknown', locked: failure.isLocked || undefined })
      if (user && failure.isGuessLimitReached) notifyOfGuesses(services, user)
      return { values: { name, errorMessage: 'Wrong username or password.' } }
    }
    if (!user) throw new Error('A password matched without a user')
    await lockout.succeed(attempt)
    await upgradeHash(sql, user, form.get('password') ?? '', passwordCost)
    trace.pass('password-checked')
    return { user }
  }
}

function formatLockError(seconds: number): string {
  if (seconds > 90 * 60)
    return `Too many wrong passwords. Try again in ${Math.ceil(seconds / 3600)} hours, or in a browser in which you have signed in with this username before.`
  return `Too many wrong passwords. Try again in ${seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`}.`
}

/**
 * Records a failed sign-in for the account of the user, which is returned. An unknown name is not stored, because it may
 * be a password.
 */
async function recordFailure(
  { sql, activity }: Services,
  { visit }: PageRequest,
  user: store.DirectoryUser | undefined,
  { isLocked, isGuessLimitReached, ...attempt }: FailureResult & { domain?: string; client?: string },
): Promise<audit.AuditEvent['target']> {
  activity.countSignIn('password-wrong')
  // Unknown names have the same lookup, so that the response time does not reveal them.
  const login = await accounts.findLogin(sql, store.identityIssuer, user?.id ?? '')
  const target = login
    ? { kind: 'user' as const, id: login.userId }
    : { kind: 'directory-person' as const, id: user?.id ?? null }
  const event = { target, after: { idp: 'local', ...attempt }, reason: 'password-wrong', visit }
  await audit.recordAll(sql, [
    { ...event, action: isLocked ? 'directory.locked' : 'directory.password-refused' },
    ...(isGuessLimitReached ? [{ ...event, action: 'directory.guesses-stopped' as const }] : []),
  ])
  return target
}
