import type { Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { storeAttempt } from '../login/attempt.ts'
import { ProofExpired } from '../login/claim.ts'
import { completeAttempt } from '../login/complete.ts'
import type { DirectoryStart } from '../login/start-sign-in.ts'
import { authenticateUser } from './authenticate.ts'
import { showSignInForm } from './form.ts'
import { rememberDevice } from './lockout.ts'
import { redeemSignUp } from './offer-sign-up.ts'
import * as store from './store.ts'

/** Shows the form of the built-in directory, or signs a user in who has just signed up there. */
export async function startAtDirectory(
  services: Services,
  request: PageRequest,
  { attempt, upstream, trace }: DirectoryStart,
): Promise<PageResult> {
  const { http, sql, vault } = services
  const user = await redeemSignUp(services, request.cookies, attempt.loginHint ?? '')
  if (user) {
    const authenticate = async () => ({ authentication: authenticateUser(upstream, user) })
    const proof = { condition: store.selectUnchanged(sql, user) }
    try {
      const result = await completeAttempt(services, request, { attempt, upstream, trace, proof, authenticate })
      rememberDevice(request.cookies, vault, attempt.loginHint ?? user.email)
      return result
    } catch (error) {
      // An administrator has just set another password.
      if (!(error instanceof ProofExpired)) throw error
    }
  }
  storeAttempt(request.cookies, http, vault, attempt)
  trace.pass('form-shown')
  return showSignInForm(services, request, attempt)
}
