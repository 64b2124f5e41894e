import type { Cell } from '../database/bulk-load.ts'

/* A generated directory: plausible people, organisations and groups, deterministic for a given size. Nothing is
   stored: the rows of every table are computed from the numbers of their records, so that a million people need no
   memory. */

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

/** A deterministic hash of number and purpose, evenly spread over 0 to 2³² - 1 (the finaliser of MurmurHash3). */
export function spread(number: number, purpose: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
export const chance = (number: number, purpose: number) => spread(number, purpose) / 2 ** 32
export const pick = <T>(all: readonly T[], number: number, purpose: number) =>
  all[spread(number, purpose) % all.length] as T
/** Picks the one at a position from 0 up to 1, if each is as wide as its share. */
export function pickByShare<T>(all: readonly T[], shareOf: (one: T) => number, position: number): T {
  let rest = position * all.reduce((sum, one) => sum + shareOf(one), 0)
  for (const one of all) {
    rest -= shareOf(one)
    if (rest < 0) return one
  }
  return all.at(-1) as T
}
export const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')

/** The creation time of a record; later ones have higher numbers. */
const createdMs = (number: number, total: number, since: number) => Math.round(end - since * (1 - number / total))
const instant = (ms: number) => new Date(ms).toISOString()

const tags = { user: 1, org: 2, group: 3, login: 4, session: 5, invitation: 6, event: 7, mail: 8 }

/** A UUIDv7 of that time; the last eleven digits are the number, and a tag distinguishes the kinds. */
export function generateId(kind: keyof typeof tags, number: number, ms: number): string {
  const time = hex(ms, 12)
  const tag = tags[kind]
  const random = hex(spread(number, 90 + tag), 8)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${hex(0x8000 + (spread(number, 80 + tag) & 0x3fff), 4)}-${hex(tag, 1)}${hex(number, 11)}`
}

/** Generates the rows of every table for a size. */
export function generateDirectory({ users, groups, orgs }: DirectorySize) {
  const userId = (number: number) => generateId('user', number, createdMs(number, users, years(3)))
  const orgId = (number: number) => generateId('org', number, createdMs(number, orgs, years(3)))
  const groupId = (number: number) => generateId('group', number, createdMs(number, groups, years(2)))
  const orgName = (number: number) => `${pick(orgStarts, number, 1)} ${pick(orgEnds, number, 2)}`

  /** The number of people in a record: a few are very large, most small; three in a thousand are larger by far. */
  function chooseSize(number: number, mean: number): number {
    const scale =
      number < 3 ? users / 50 : number % 1000 === 500 ? mean * 40 : mean * (0.2 + 1.5 * chance(number, 3) ** 2)
    return Math.max(1, Math.min(users, Math.round(scale)))
  }
  /** Yields distinct people: every nth person from some start on. */
  function* pickPeople(number: number, count: number, purpose: number): Generator<number> {
    const start = spread(number, purpose) % users
    const step = coprime(1 + (spread(number, purpose + 1) % users), users)
    for (let index = 0; index < count; index++) yield (start + index * step) % users
  }
  const sizeOfGroup = (number: number) => chooseSize(number, (users * 2.6) / groups)
  const sizeOfOrg = (number: number) => chooseSize(number, users / orgs)
  const ownersOfGroup = (number: number) => Math.min(users, 1 + (spread(number, 4) % 3))

  return {
    *users(): Generator<Cell[]> {
      for (let number = 0; number < users; number++) {
        const [first, last] = [pick(firstNames, number, 10), pick(nameStarts, number, 11) + pick(nameEnds, number, 12)]
        const username = `${toAscii(first)}.${toAscii(last)}${number}`
        const created = createdMs(number, users, years(3))
        const hasSignedIn = chance(number, 13) < 0.93
        const lastSeen = Math.round(end - (end - created) * chance(number, 14) ** 3)
        yield [
          userId(number),
          username,
          `${first} ${last}`,
          `${username}@${toAscii(orgName(number % orgs))}.example`,
          hasSignedIn,
          chance(number, 15) < 0.03 ? instant(lastSeen) : null,
          hasSignedIn ? instant(created) : null,
          hasSignedIn ? instant(lastSeen) : null,
          instant(created),
          instant(created),
        ]
      }
    },
    *logins(): Generator<Cell[]> {
      for (let number = 0; number < users; number++) {
        if (chance(number, 13) >= 0.93) continue
        const created = createdMs(number, users, years(3))
        const subject = hex(spread(number, 16), 8) + hex(spread(number, 17), 8) + hex(number, 8)
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
        const created = instant(createdMs(number, orgs, years(3)))
        yield [
          orgId(number),
          `${orgName(number)} ${number}`,
          `${toAscii(orgName(number))}-${number}`,
          sizeOfOrg(number),
          created,
          created,
        ]
      }
    },
    *orgMembers(): Generator<Cell[]> {
      for (let number = 0; number < orgs; number++) {
        const since = instant(createdMs(number, orgs, years(3)))
        let index = 0
        for (const person of pickPeople(number, sizeOfOrg(number), 20))
          yield [orgId(number), userId(person), index++ === 0 ? 'owner' : index % 25 === 2 ? 'admin' : 'member', since]
      }
    },
    *groups(): Generator<Cell[]> {
      for (let number = 0; number < groups; number++) {
        const created = instant(createdMs(number, groups, years(2)))
        const subject = pick(groupSubjects, number, 30)
        yield [
          groupId(number),
          `${subject} ${pick(groupKinds, number, 31)} ${number}`,
          chance(number, 32) < 0.5 ? `${subject} at ${orgName(number % orgs)}` : '',
          chance(number, 33) < 0.7 ? orgId(number % orgs) : null,
          sizeOfGroup(number),
          ownersOfGroup(number),
          created,
          created,
        ]
      }
    },
    *groupMembers(): Generator<Cell[]> {
      for (let number = 0; number < groups; number++) {
        const since = instant(createdMs(number, groups, years(2)))
        for (const person of pickPeople(number, sizeOfGroup(number), 40)) yield [groupId(number), userId(person), since]
      }
    },
    *groupOwners(): Generator<Cell[]> {
      for (let number = 0; number < groups; number++) {
        const since = instant(createdMs(number, groups, years(2)))
        for (const person of pickPeople(number, ownersOfGroup(number), 50))
          yield [groupId(number), userId(person), since]
      }
    },
    /** One group in two hundred has a role; none of the largest, and never console administration. */
    *groupRoles(): Generator<Cell[]> {
      for (let number = 7; number < groups; number += 200) yield [groupId(number), 'Passport.Developer']
    },
    *roleMembers(): Generator<Cell[]> {
      for (let number = 3; number < users; number += 250) yield ['Passport.Developer', userId(number)]
    },
  }
}

/** Converts a name for a username: lower-case ASCII. There are few names, so results are cached. */
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

/** Returns the next number coprime to the other. */
function coprime(number: number, modulus: number): number {
  const divisor = (one: number, two: number): number => (two === 0 ? one : divisor(two, one % two))
  let candidate = number
  while (divisor(candidate, modulus) !== 1) candidate++
  return candidate
}
