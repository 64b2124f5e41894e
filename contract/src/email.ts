import * as z from 'zod/mini'
import type { FieldCode } from './field-codes.ts'

/** The longest address that a mail server accepts (RFC 5321, section 4.5.3.1.3). */
const maxLength = 254

/** An email address as typed, trimmed. Addresses that differ only in case are equal. */
export const Email = z.string().check(
  z.trim(),
  z.refine((text) => isEmail(text), {
    error: 'Must be an email address, such as ada@example.com.',
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

const emailSchema = z.email()
const isEmail = (text: string) => text.length <= maxLength && z.safeParse(emailSchema, text).success
