import { linkLogin } from '../accounts/link-login.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { generatePassword } from '../local-directory/generate-password.ts'
import { hashPassword } from '../local-directory/password.ts'
import { recordPasswordSet, resetPassword } from '../local-directory/reset-password.ts'
import * as directory from '../local-directory/store.ts'
import { addUsers } from '../users/create.ts'
import { runOnDatabase, UsageError } from './run.ts'

const usage = `npm run password -- <name>                            sets a new password and signs the user out everywhere
npm run password -- <name> --add "<full name>" <email>   adds a user with an account to the built-in directory`

const commandLine = { reason: 'command line' }

const [name, option, displayName, email] = process.argv.slice(2)

await runOnDatabase(async (sql) => {
  if (!name || (option && !(option === '--add' && displayName && email))) throw new UsageError(usage)
  const password = generatePassword()
  const subject =
    displayName && email ? await add(sql, { name, displayName, email }, password) : await reset(sql, name, password)
  console.log(`New password of ${name}:  ${password}`)
  if (option)
    console.log(`To make this user an administrator: npm run admin -- grant ${directory.identityIssuer} ${subject}`)
})

async function add(
  sql: Sql,
  user: { name: string; displayName: string; email: string },
  password: string,
): Promise<string> {
  if (await directory.findByName(sql, user.name)) throw new UsageError(`A user named ${user.name} already exists.`)
  const passwordHash = await hashPassword(password)
  return transaction(sql, async (sql) => {
    const id = await directory.add(sql, { ...user, passwordHash, isDemoUser: false })
    await recordPasswordSet(sql, id, commandLine)
    await addAccount(sql, user, id)
    return id
  })
}

/** Adds an account for the new identity, without an invitation, unless one with its username or email exists. */
async function addAccount(
  sql: Sql,
  { name, displayName, email }: { name: string; displayName: string; email: string },
  subject: string,
) {
  const account = { username: name, displayName, email, emailVerified: false, isDisabled: false, roles: [] }
  const [added] = await addUsers(sql, [account], commandLine)
  if (!added?.id) {
    console.log(
      `An account with this ${added?.errors?.[0]?.column ?? 'name'} already exists. Send an invitation to link it.`,
    )
    return
  }
  const login = { providerId: 'local', issuer: directory.identityIssuer, subject, label: email }
  await linkLogin(sql, added.id, login)
}

async function reset(sql: Sql, name: string, password: string): Promise<string> {
  const user = await directory.findByName(sql, name)
  if (!user) throw new UsageError(`The user ${name} does not exist in the built-in directory.\n${usage}`)
  await transaction(sql, (sql) => resetPassword(sql, user.id, password, commandLine))
  return user.id
}
