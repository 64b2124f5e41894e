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
export async function addCast(sql: Sql, publicUrl: string, members: CastMember[], password: string): Promise<void> {
  const passwordHash = await hashPassword(password)
  await transaction(sql, async (sql) => {
    for (const member of members) await addMember(sql, publicUrl, member, passwordHash)
  })
}

async function addMember(
  sql: Sql,
  publicUrl: string,
  { name, displayName, roles: names }: CastMember,
  passwordHash: string,
) {
  const email = `${name}@passport.example`
  const subject = await directory.add(sql, { name, displayName, email, passwordHash, isCast: true })
  const userId = await users.create(sql, { username: name, displayName, email, emailVerified: true })
  await accounts.addLogin(sql, userId, { providerId: 'local', issuer: `${publicUrl}/idp`, subject, label: email })
  await audit.record(sql, {
    action: 'user.created',
    target: { kind: 'user', id: userId },
    after: { username: name },
    reason: 'demonstration',
  })
  for (const role of names) {
    await roles.grant(sql, role, userId)
    await audit.record(sql, {
      action: 'role.granted',
      target: { kind: 'user', id: userId },
      after: { role },
      reason: 'demonstration',
    })
  }
}

/** On the first start of a server that only this machine can reach: the cast, and the password to be shown once. */
export async function seedCast(sql: Sql, publicUrl: string): Promise<string | undefined> {
  if ((await users.count(sql)) > 0) return undefined
  const password = generatePassword()
  await addCast(sql, publicUrl, cast, password)
  return password
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
