import type { Services } from '../feature.ts'
import type { Cookies } from '../http/cookies.ts'
import type { PageRequest } from '../http/page.ts'
import { findAdmission } from '../login/admission.ts'
import { type Destination, formatUrl } from './sign-up-pages.ts'
import * as signUps from './sign-up-store.ts'
import { signUpCookie } from './start-sign-in.ts'
import * as store from './store.ts'

export const signUpPath = '/idp/signup'

/** Returns the URL of the page on which an invited user creates an account; undefined for others. */
export async function findSignUpUrl(
  services: Services,
  request: PageRequest,
  destination: Destination,
): Promise<string | undefined> {
  const admission = await findAdmission(services, request, destination.returnTo)
  return admission && formatUrl(signUpPath, destination)
}

/** Returns the user whom this browser's sign-up created, once, to sign them in. */
export async function redeemSignUp(
  { sql }: Pick<Services, 'sql'>,
  cookies: Cookies,
  email: string,
): Promise<store.DirectoryUser | undefined> {
  const token = cookies.get(signUpCookie.name)
  const personId = token === undefined ? undefined : await signUps.redeem(sql, token, email)
  if (personId === undefined) return undefined
  cookies.clear(signUpCookie.name)
  return store.findById(sql, personId)
}
