import type { Cell } from '../database/bulk-load.ts'

/* Generates a directory of plausible users, organisations and groups, deterministic for a given size. Each row is computed
   from the number of its record when it is read, so a million users need no memory. */

export interface DirectorySize {
  users: number
  groups: number
  orgs: number
}

const firstNames =
  'Ada Ana Anton Aroha Bo Bram Carmen Chidi Dilnoza Dmitri Eero Elif Emeka Fatima Finn Goran Grace Hana Hugo Ibrahim Ilse Ines Jun Jóhanna Kofi Kenji Lars Leila Lucía Łukasz Mai Marek Mateo Mei Nadia Niamh Noor Olga Omar Pedro Petra Priya Quentin Rafael Rosa Ruth Sana Sven Søren Tariq Tomás Uma Valeria Viktor Wanda Wei Ximena Yara Yusuf Zoë'.split(
    ' ',
  )
const nameStarts =
  'Ab Ander Bar Berg Cast Dal Dvor Eng Fal Font Grün Had Holm Iva Jan Kar Kow Lind Mac Mor Nak Nov Ols Pet Quist Ros Sand Tak Var Weiss'.split(
    ' ',
  )
const nameEnds =
  'ara berg dottir é en er ez feld gård ham iwa king la man mura nen o ova qvist rath sen ski son stad stein strøm tan ton uda wood'.split(
    ' ',
  )
const orgStarts =
  'Alder Amber Beacon Birch Cedar Cobalt Copper Coral Delta Ember Falcon Granite Harbour Heron Indigo Juniper Kestrel Lumen Maple Nimbus North Onyx Orchard Pine Quarry Raven Saffron Tidal Umber Vector'.split(
    ' ',
  )
const orgEnds =
  'Games Rail Marine Studios Labs Foods Energy Textiles Robotics Press Clinics Freight Optics Farms Music'.split(' ')
const groupSubjects =
  'Night Day Build Design Release Support Field Research Safety Launch Audio Lighting Stage Network Data Training Travel Garden Archive Festival'.split(
    ' ',
  )
const groupKinds = 'crew team owners reviewers guild council editors testers'.split(' ')

/** Later than every generated instant, and fixed, so that the directory is deterministic. */
const end = Date.UTC(2026, 10, 1)
const years = (count: number) => count * 365 * 86_400_000

/** Hashes a number for a purpose, evenly over 0 to 2³² - 1, with the finaliser of MurmurHash3. */
export function hashNumber(number: number, purpose: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
/** Like `hashNumber`, from 0 up to 1. */
export const toFraction = (number: number, purpose: number) => hashNumber(number, purpose) / 2 ** 32
export const pick = <T>(all: readonly T[], number: number, purpose: number) =>
  all[hashNumber(number, purpose) % all.length] as T
/** Picks the item at a position from 0 up to 1, where each item is as wide as its share. */
export function pickByShare<T>(all: readonly T[], shareOf: (item: T) => number, position: number): T {
  let rest = position * all.reduce((sum, item) => sum + shareOf(item), 0)
  for (const item of all) {
    rest -= shareOf(item)
    if (rest < 0) return item
  }
  return all.at(-1) as T
}
export const toHex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')

/** Returns the creation time of a record, in milliseconds since 1970; higher numbers are later. */
const toCreatedMs = (number: number, total: number, since: number) => Math.round(end - since * (1 - number / total))
const instant = (ms: number) => new Date(ms).toISOString()

const tags = { user: 1, org: 2, group: 3, login: 4, session: 5, invitation: 6, event: 7, mail: 8 }

/** Generates a UUIDv7 of a time. Its last eleven digits are the number, after a digit for the kind. */
export function generateId(kind: keyof typeof tags, number: number, ms: number): string {
  const time = toHex(ms, 12)
  const tag = tags[kind]
  const random = toHex(hashNumber(number, 90 + tag), 8)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${toHex(0x8000 + (hashNumber(number, 80 + tag) & 0x3fff), 4)}-${toHex(tag, 1)}${toHex(number, 11)}`
}

/** Returns a generator of the rows of each table. */
export function generateDirectory({ users, groups, orgs }: DirectorySize) {
  const userId = (number: number) => generateId('user', number, toCreatedMs(number, users, years(3)))
  const orgId = (number: number) => generateId('org', number, toCreatedMs(number, orgs, years(3)))
  const groupId = (number: number) => generateId('group', number, toCreatedMs(number, groups, years(2)))
  const orgName = (number: number) => `${pick(orgStarts, number, 1)} ${pick(orgEnds, number, 2)}`

  /** Returns the number of members of a record. Most have few; the first three, and one in a thousand, have very many. */
  function chooseSize(number: number, mean: number): number {
    const scale =
      number < 3 ? users / 50 : number % 1000 === 500 ? mean * 40 : mean * (0.2 + 1.5 * toFraction(number, 3) ** 2)
    return Math.max(1, Math.min(users, Math.round(scale)))
  }
  /** Yields the numbers of distinct users: every nth user from some start on. */
  function* pickUsers(number: number, count: number, purpose: number): Generator<number> {
    const start = hashNumber(number, purpose) % users
    const step = findCoprime(1 + (hashNumber(number, purpose + 1) % users), users)
    for (let index = 0; index < count; index++) yield (start + index * step) % users
  }
  const toGroupSize = (number: number) => chooseSize(number, (users * 2.6) / groups)
  const toOrgSize = (number: number) => chooseSize(number, users / orgs)
  const toOwnerCount = (number: number) => Math.min(users, 1 + (hashNumber(number, 4) % 3))

  return {
    *users(): Generator<Cell[]> {
      for (let number = 0; number < users; number++) {
        const [first, last] = [pick(firstNames, number, 10), pick(nameStarts, number, 11) + pick(nameEnds, number, 12)]
        const username = `${toAscii(first)}.${toAscii(last)}${number}`
        const created = toCreatedMs(number, users, years(3))
        const hasSignedIn = toFraction(number, 13) < 0.93
        const lastSeen = Math.round(end - (end - created) * toFraction(number, 14) ** 3)
        yield [
          userId(number),
          username,
          `${first} ${last}`,
          `${username}@${toAscii(orgName(number % orgs))}.example`,
          hasSignedIn,
          toFraction(number, 15) < 0.03 ? instant(lastSeen) : null,
          hasSignedIn ? instant(created) : null,
          hasSignedIn ? instant(lastSeen) : null,
          instant(created),
          instant(created),
        ]
      }
    },
    *logins(): Generator<Cell[]> {
      for (let number = 0; number < users; number++) {
        if (toFraction(number, 13) >= 0.93) continue
        const created = toCreatedMs(number, users, years(3))
        const subject = toHex(hashNumber(number, 16), 8) + toHex(hashNumber(number, 17), 8) + toHex(number, 8)
        yield [
          generateId('login', number, created),
          userId(number),
          'harbour',
          'https://login.harbour.example',
          subject,
          `person${number}`,
          instant(created),
        ]
      }
    },
    *orgs(): Generator<Cell[]> {
      for (let number = 0; number < orgs; number++) {
        const created = instant(toCreatedMs(number, orgs, years(3)))
        yield [
          orgId(number),
          `${orgName(number)} ${number}`,
          `${toAscii(orgName(number))}-${number}`,
          toOrgSize(number),
          created,
          created,
        ]
      }
    },
    *orgMembers(): Generator<Cell[]> {
      for (let number = 0; number < orgs; number++) {
        const since = instant(toCreatedMs(number, orgs, years(3)))
        let index = 0
        for (const user of pickUsers(number, toOrgSize(number), 20))
          yield [orgId(number), userId(user), index++ === 0 ? 'owner' : index % 25 === 2 ? 'admin' : 'member', since]
      }
    },
    *groups(): Generator<Cell[]> {
      for (let number = 0; number < groups; number++) {
        const created = instant(toCreatedMs(number, groups, years(2)))
        const subject = pick(groupSubjects, number, 30)
        yield [
          groupId(number),
          `${subject} ${pick(groupKinds, number, 31)} ${number}`,
          toFraction(number, 32) < 0.5 ? `${subject} at ${orgName(number % orgs)}` : '',
          toFraction(number, 33) < 0.7 ? orgId(number % orgs) : null,
          toGroupSize(number),
          toOwnerCount(number),
          created,
          created,
        ]
      }
    },
    *groupMembers(): Generator<Cell[]> {
      for (let number = 0; number < groups; number++) {
        const since = instant(toCreatedMs(number, groups, years(2)))
        for (const user of pickUsers(number, toGroupSize(number), 40)) yield [groupId(number), userId(user), since]
      }
    },
    *groupOwners(): Generator<Cell[]> {
      for (let number = 0; number < groups; number++) {
        const since = instant(toCreatedMs(number, groups, years(2)))
        for (const user of pickUsers(number, toOwnerCount(number), 50)) yield [groupId(number), userId(user), since]
      }
    },
    /** One group in two hundred has a role, but none of the largest; no group makes its members administrators. */
    *groupRoles(): Generator<Cell[]> {
      for (let number = 7; number < groups; number += 200) yield [groupId(number), 'Passport.Developer']
    },
    *roleMembers(): Generator<Cell[]> {
      for (let number = 3; number < users; number += 250) yield ['Passport.Developer', userId(number)]
    },
  }
}

/** Converts a name to lower-case ASCII letters and hyphens. There are few names, so results are cached. */
export function toAscii(name: string): string {
  let ascii = asciiNames.get(name)
  if (ascii === undefined) {
    ascii = name.normalize('NFKD').toLowerCase().replaceAll('ø', 'o').replaceAll('ł', 'l').replaceAll('ß', 'ss')
    ascii = ascii.replaceAll('ı', 'i').replaceAll('đ', 'd')
    ascii = ascii.replace(/[^a-z ]/g, '').replaceAll(' ', '-')
    asciiNames.set(name, ascii)
  }
  return ascii
}
const asciiNames = new Map<string, string>()

/** Returns the smallest number, from `number` on, that is coprime to the modulus. */
function findCoprime(number: number, modulus: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))
  let candidate = number
  while (divisor(candidate, modulus) !== 1) candidate++
  return candidate
}
