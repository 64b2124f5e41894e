import * as z from 'zod/mini'

/** Words that would be taken for something else than a person, in an address or in a list. */
const reserved = new Set(
  `abuse account accounts admin administrator all anonymous anyone api app auth everyone group groups help hostmaster
  index info join login logout mail me moderator nobody noreply no-reply null official org orgs owner passport
  postmaster profile profiles register root security self settings signin signout signup staff support system team
  undefined user users webmaster www you`.split(/\s+/),
)
const shape = /^[a-z0-9][a-z0-9._-]{1,30}[a-z0-9]$/

/** What is wrong with a username, already in lower case, as a sentence; undefined where it is fine. */
export function usernameFault(name: string): string | undefined {
  if (name.length < 3 || name.length > 32) return 'Must have 3 to 32 characters.'
  if (!shape.test(name)) return 'Must be of the letters a to z, digits, and . _ - between them.'
  if (name.includes('..')) return 'Must not have two dots in a row.'
  return reserved.has(name) ? 'Is a word with a meaning of its own.' : undefined
}

/** What a person is found by: lower case, unique. */
export const Username = z.string().check(
  z.overwrite((name) => name.trim().toLowerCase()),
  z.refine((name) => usernameFault(name) === undefined, {
    error: ({ input }) => usernameFault(String(input)),
    params: { code: 'username-invalid' },
  }),
)
