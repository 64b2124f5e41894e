import * as accounts from '../accounts/store.ts'
import { generatePassword } from '../local-directory/generate-password.ts'
import { hashPassword } from '../local-directory/password.ts'
import * as directory from '../local-directory/store.ts'
import { addUsers } from '../users/create.ts'
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

async function addMember(sql: Sql, { name, displayName, roles }: CastMember, passwordHash: string) {
  const email = `${name}@passport.example`
  const subject = await directory.add(sql, { name, displayName, email, passwordHash, isCast: true })
  const person = { username: name, displayName, email, emailVerified: true, isDisabled: false, roles }
  const [added] = await addUsers(sql, [person], { reason: 'demonstration' })
  if (!added?.id) throw new Error(`There is a ${name} already`)
  await accounts.addLogin(sql, added.id, {
    providerId: 'local',
    issuer: directory.identityIssuer,
    subject,
    label: email,
  })
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
