import { randomInt } from 'node:crypto'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { hashPassword } from '../local-directory/password.ts'
import * as directory from '../local-directory/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { type Sql, transaction } from './sql.ts'

interface CastMember {
  name: string
  displayName: string
  roles: string[]
}

/** The demonstration people: the same in tests, guides and pictures. */
export const cast: CastMember[] = [
  { name: 'ada', displayName: 'Ada Lovelace', roles: ['Passport.Admin', 'Passport.Developer'] },
  { name: 'dev', displayName: 'Dev Patel', roles: ['Passport.Developer'] },
  { name: 'eve', displayName: 'Eve Moreau', roles: [] },
]

/** Adds people who can sign in through the built-in directory, with their accounts and roles; all have one password. */
export async function addCast(sql: Sql, members: CastMember[], password: string): Promise<void> {
  const passwordHash = await hashPassword(password)
  await transaction(sql, async (sql) => {
    for (const member of members) await addMember(sql, member, passwordHash)
  })
}

async function addMember(sql: Sql, { name, displayName, roles: names }: CastMember, passwordHash: string) {
  const email = `${name}@passport.example`
  const subject = await directory.add(sql, { name, displayName, email, passwordHash, isCast: true })
  const userId = await users.create(sql, { username: name, displayName, email, emailVerified: true })
  await accounts.addLogin(sql, userId, { providerId: 'local', issuer: directory.identityIssuer, subject, label: email })
  const told = { target: { kind: 'user', id: userId }, reason: 'demonstration' } as const
  await audit.record(sql, { ...told, action: 'user.created', after: { username: name } })
  for (const role of names) {
    await roles.grant(sql, role, userId)
    await audit.record(sql, { ...told, action: 'role.granted', after: { role } })
  }
}

/**
 * On the first start of a server that only this machine can reach: the cast, and the password to be shown once.
 * Of servers that start together one does it.
 */
export async function seedCast(sql: Sql): Promise<string | undefined> {
  if ((await users.count(sql)) > 0) return undefined
  const password = generatePassword()
  try {
    await addCast(sql, cast, password)
    return password
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return undefined
    throw error
  }
}

const syllables =
  'ba be bi bo bu da de di do du fa fe fi fo ga ge gi go ka ke ki ko la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi vo'.split(
    ' ',
  )

/** Easy to read from a terminal and to type, about 68 bits: `tiko-rabe-luso-mipa`. */
export function generatePassword(): string {
  const word = () => Array.from({ length: 3 }, () => syllables[randomInt(syllables.length)]).join('')
  return Array.from({ length: 4 }, word).join('-')
}
