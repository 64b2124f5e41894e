import { linkLogin } from '../accounts/link-login.ts'
import type { Config } from '../config.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { generatePassword } from '../local-directory/generate-password.ts'
import { hashPassword } from '../local-directory/password.ts'
import * as directory from '../local-directory/store.ts'
import { addUsers } from '../users/create.ts'
import * as users from '../users/store.ts'

interface DemoUser {
  name: string
  displayName: string
  roles: string[]
}

/** The demo users: the same in tests, guides and screenshots. */
export const demoUsers: DemoUser[] = [
  { name: 'ada', displayName: 'Ada Lovelace', roles: ['Passport.Admin', 'Passport.Developer'] },
  { name: 'dev', displayName: 'Dev Patel', roles: ['Passport.Developer'] },
  { name: 'eve', displayName: 'Eve Moreau', roles: [] },
]

/** Adds demo users to the built-in directory, with accounts and roles; all have the same password. */
export async function addDemoUsers(sql: Sql, demos: DemoUser[], password: string): Promise<void> {
  const passwordHash = await hashPassword(password)
  await transaction(sql, async (sql) => {
    for (const demoUser of demos) await addDemoUser(sql, demoUser, passwordHash)
  })
}

async function addDemoUser(sql: Sql, { name, displayName, roles }: DemoUser, passwordHash: string) {
  const email = `${name}@passport.example`
  const subject = await directory.add(sql, { name, displayName, email, passwordHash, isDemoUser: true })
  const user = { username: name, displayName, email, emailVerified: true, isDisabled: false, roles }
  const [added] = await addUsers(sql, [user], { reason: 'demonstration' })
  if (!added?.id) throw new Error(`A user named ${name} already exists`)
  await linkLogin(sql, added.id, {
    providerId: 'local',
    issuer: directory.identityIssuer,
    subject,
    label: email,
  })
}

/** Reports whether only this machine can reach the server, and the built-in directory is an identity provider. */
export const allowsDemoUsers = ({ isLoopback, identityProviders }: Config): boolean =>
  isLoopback && identityProviders.some(({ kind }) => kind === 'local')

/**
 * Adds the demo users to a database without users, and returns their password; undefined otherwise. Of servers that
 * start concurrently only one adds them.
 */
export async function seedDemoUsers(sql: Sql): Promise<string | undefined> {
  if ((await users.count(sql)) > 0) return undefined
  const password = generatePassword()
  try {
    await addDemoUsers(sql, demoUsers, password)
    return password
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return undefined
    throw error
  }
}
