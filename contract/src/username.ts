import * as z from 'zod/mini'
import type { FieldCode } from './field-codes.ts'

/** Names that could be mistaken for a page, a system role or an official account. */
const reserved = new Set(
  `abuse account accounts admin administrator all anonymous anyone api app auth everyone group groups help hostmaster
  index info join login logout mail me moderator nobody noreply no-reply null official org orgs owner passport
  postmaster profile profiles register root security self settings signin signout signup staff support system team
  undefined user users webmaster www you`.split(/\s+/),
)
const pattern = /^[a-z0-9][a-z0-9._-]{1,30}[a-z0-9]$/

/** Returns the message for an invalid lower-case username, or undefined if the username is valid. */
export function findUsernameError(name: string): string | undefined {
  if (name.length < 3 || name.length > 32) return 'Must have 3 to 32 characters.'
  if (!pattern.test(name))
    return 'Must contain only letters a to z, digits and . _ - and must start and end with a letter or digit.'
  if (name.includes('..')) return 'Must not have two dots in a row.'
  return reserved.has(name) ? 'This username is reserved.' : undefined
}

/** A username, which is trimmed and converted to lower case. */
export const Username = z.string().check(
  z.overwrite((name) => name.trim().toLowerCase()),
  z.refine((name) => findUsernameError(name) === undefined, {
    error: ({ input }) => findUsernameError(String(input)),
    params: { code: 'username-invalid' satisfies FieldCode },
  }),
)
