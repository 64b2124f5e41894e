import { Email } from '@passport/contract/email'
import { removeInvisible } from '@passport/contract/invisible'
import { Username } from '@passport/contract/username'
import * as z from 'zod/mini'

/* Reads what identity providers, SCIM clients and imports state about a person. An identity is kept unchanged or left out: a
   shortened or cleaned one is that of another person. */

/** A subject identifier: at most 255 ASCII characters (OpenID Connect Core, section 2), all of them visible. */
const subject = /^[\x21-\x7e]{1,255}$/

/** Returns a subject identifier; undefined for any other value. */
export const readSubject = (value: unknown): string | undefined =>
  typeof value === 'string' && subject.test(value) ? value : undefined

/** Returns an email address; null for any other value. */
export const readEmail = (value: unknown): string | null => z.safeParse(Email, value).data ?? null

/** Returns a username; null for any other value. */
export const readUsername = (value: unknown): string | null => z.safeParse(Username, value).data ?? null

/** The longest name of a user at Microsoft Entra, in UTF-16 code units. */
const maxNameLength = 256

/**
 * Returns a display name, normalised, without control characters and the invisible characters by which names that look equal
 * can differ; null for an empty or too long one and any other value.
 */
export function readDisplayName(value: unknown): string | null {
  const line = readText(value)?.replace(/[\u2028\u2029]/g, ' ') ?? ''
  return removeInvisible(line.normalize('NFC')).trim() || null
}

/** Returns a text for display without control characters; null for an empty or too long one and any other value. */
export function readText(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxNameLength) return null
  return (
    value
      .toWellFormed()
      .replace(/\p{Cc}/gu, '')
      .trim() || null
  )
}
