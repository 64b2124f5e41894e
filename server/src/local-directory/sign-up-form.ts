import { Email } from '@passport/contract/email'
import { DisplayName } from '@passport/contract/profile'
import * as z from 'zod/mini'
import type { SignUpInput } from './sign-up.ts'
import { findWeakness } from './weak-password.ts'

const minPassword = 12
const maxPassword = 256

/** The values that users enter to sign up; `returnTo` and `interaction` follow from the page. */
export type SignUpField = 'email' | 'name' | 'password'
export type SignUpErrors = Partial<Record<SignUpField, string>>

/** Parses the form; `brandName` is the name of this service. Returns the values, or the error of each invalid field. */
export function parseSignUp(
  form: URLSearchParams,
  brandName: string,
): { values: Pick<SignUpInput, 'email' | 'displayName' | 'password'> } | { errors: SignUpErrors } {
  const email = z.safeParse(Email, form.get('email') ?? '')
  const name = z.safeParse(DisplayName, form.get('name') ?? '')
  const password = form.get('password') ?? ''
  const passwordError = findPasswordError(password, [form.get('email') ?? '', form.get('name') ?? '', brandName])
  if (email.success && name.success && !passwordError)
    return { values: { email: email.data, displayName: name.data, password } }
  return {
    errors: {
      ...(email.error && { email: messageOf(email.error) }),
      ...(name.error && { name: messageOf(name.error) }),
      ...(passwordError && { password: passwordError }),
    },
  }
}

/**
 * Returns why a password is not accepted; undefined for one that is. Counts characters as NIST SP 800-63B-4, section 3.1.1.2: each code point is one.
 */
export function findPasswordError(password: string, knownWords: string[]): string | undefined {
  const { length } = [...password.slice(0, maxPassword * 2 + 2)]
  if (length < minPassword || length > maxPassword) return `Must have ${minPassword} to ${maxPassword} characters.`
  return findWeakness(password, knownWords)
}

const messageOf = ({ issues }: { issues: { message: string }[] }) => issues[0]?.message ?? 'Invalid value.'
