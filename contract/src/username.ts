import * as z from 'zod/mini'

const pattern = /^[a-z0-9](?:[a-z0-9._-]{1,30})[a-z0-9]$/
/** Words that stand for something else in addresses and sentences. */
const reserved = new Set(
  'me admin administrator root system support help index api app login logout anonymous everyone null undefined'.split(
    ' ',
  ),
)

/** What is wrong with a username in lower case, as a sentence; undefined where nobody's having it is a trouble. */
export function usernameFault(username: string): string | undefined {
  if (!pattern.test(username) || username.includes('..'))
    return 'Use 3 to 32 small letters, digits, dots, hyphens and underscores, and a letter or digit at both ends.'
  return reserved.has(username) ? 'This word is reserved.' : undefined
}

/** A name that people sign and are found by: lower case, unique. */
export const Username = z.string().check(
  z.overwrite((text) => text.trim().toLowerCase()),
  z.refine((text) => usernameFault(text) === undefined, {
    error: ({ input }) => usernameFault(String(input)),
    params: { code: 'username-invalid' },
  }),
)
