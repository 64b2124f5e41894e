import type { Sql } from '../database/sql.ts'
import type { Cookies } from '../http/cookies.ts'
import { parseReturnUrl } from '../login/return-url.ts'
import { generateToken } from '../vault.ts'
import { redeemSeconds } from './sign-up.ts'
import { formatUrl } from './sign-up-pages.ts'
import * as signUps from './sign-up-store.ts'

/** The cookie of the browser that signs up, which the sign-in reads at the end. */
export const signUpCookie = { name: 'passport-sign-up', maxAgeSeconds: 60 * 60 }

interface NewUser {
  signInName: string
  displayName: string | null
  passwordHash: string
  /** The user of the directory. */
  personId: string
}

/**
 * Lets this browser sign in once, without the password, as a user who has just set it. Returns the URL that does. It leads
 * to the home page.
 */
export async function startSignIn(
  sql: Sql,
  cookies: Cookies,
  { signInName, displayName, passwordHash, personId }: NewUser,
): Promise<string> {
  const token = generateToken()
  const destination = { returnTo: parseReturnUrl(null), interaction: null }
  const newSignUp = { email: signInName, displayName: displayName ?? signInName, passwordHash }
  const lifetimes = { codeHash: null, codeSeconds: 0, seconds: redeemSeconds }
  await signUps.save(sql, token, { ...newSignUp, ...destination }, lifetimes)
  await signUps.markConfirmed(sql, token, personId, redeemSeconds)
  cookies.set(signUpCookie.name, token, { maxAgeSeconds: signUpCookie.maxAgeSeconds })
  return formatUrl('/login', destination, { idp: 'local', prompt: 'select_account', login_hint: signInName })
}
