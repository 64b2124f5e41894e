import * as z from 'zod/mini'
import { parseDomainName } from './domain-name.ts'
import type { FieldCode } from './field-codes.ts'

/** The longest address that a mail server accepts (RFC 5321, section 4.5.3.1.3). */
const maxLength = 254

/**
 * An email address as typed, trimmed, with an internationalised domain in ASCII (RFC 5891). Addresses that differ only in case
 * are equal. The part before the `@` is ASCII too: only mail servers with SMTPUTF8 (RFC 6531) deliver to others, and a mail may
 * pass several servers.
 */
export const Email = z.string().check(
  z.trim(),
  z.overwrite((text) => toAsciiDomain(text)),
  z.refine((text) => isEmail(text), {
    error: ({ input }) =>
      isEmail(String(input).replace(/[^\0-\x7f]/gu, 'x')) && /^.*[^\0-\x7f].*@/u.test(String(input))
        ? 'Must have only the letters a to z before the @, as many mail servers accept no others.'
        : 'Must be an email address, such as ada@example.com.',
    params: { code: 'email-invalid' satisfies FieldCode },
  }),
)

/**
 * Lower-cases the letters A to Z and no others: Unicode folds the Kelvin sign to k, but the two are different
 * mailboxes.
 */
export const foldEmail = (email: string): string => email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Compares two addresses, ignoring case. */
export const isSameEmail = (a: string, b: string): boolean => foldEmail(a) === foldEmail(b)

/** Returns an address with its domain in ASCII if that has other characters, and otherwise as it is. */
export function toAsciiDomain(address: string): string {
  const start = address.lastIndexOf('@') + 1
  const domain = address.slice(start)
  return start > 1 && /[^\0-\x7f]/.test(domain)
    ? address.slice(0, start) + (parseDomainName(domain) ?? domain)
    : address
}

const emailSchema = z.email()
const isEmail = (text: string) =>
  // The pattern of the library has no top-level domain with digits, as internationalised ones have in ASCII.
  text.length <= maxLength && z.safeParse(emailSchema, text.replace(/\.xn--[a-z0-9-]{1,59}$/i, '.example')).success
