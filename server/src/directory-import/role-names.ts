import { RoleName } from '@passport/contract/roles'
import * as z from 'zod/mini'
import { createFreeNames } from '../slug.ts'

const maxLength = 100
/** The units of a name that count. Unicode sorts the marks of a letter in time that grows with the square of their number. */
const maxRead = 1000

/**
 * Converts the names of roles elsewhere to names of roles here, which are words in PascalCase joined by dots: `stage-editor`
 * gives `StageEditor`, `stage:edit` gives `Stage.Edit`. Two roles never become one, which would join their rights; and
 * none gives a role of Passport, which would make its holders administrators: `passport.admin` gives
 * `Imported.Passport.Admin`.
 */
export function createRoleNames(): (name: string) => string {
  const toFree = createFreeNames((name, number) => `${name}${number}`)
  return (name) => toFree(convert(name))
}

function convert(name: string): string {
  const isSafe = (candidate: string) => z.safeParse(RoleName, candidate).success && !/^passport\b/i.test(candidate)
  if (isSafe(name)) return name
  const words = name
    .slice(0, maxRead)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[.:/\\]+/)
    .map(
      (word) =>
        word
          .match(/[A-Za-z0-9]+/g)
          ?.map(capitalise)
          .join('') ?? '',
    )
    .filter((word) => word !== '')
    .map((word) => (/^\d/.test(word) ? `Role${word}` : word))
  const joined = words.join('.') || 'Role'
  const prefixed = /^passport\b/i.test(joined) ? `Imported.${joined}` : joined
  return prefixed.slice(0, maxLength - 6).replace(/\.$/, '')
}

const capitalise = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
