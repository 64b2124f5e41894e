import * as accounts from '../accounts/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { generatePassword } from '../local-directory/generate-password.ts'
import { hashPassword } from '../local-directory/password.ts'
import { recordPasswordSet, resetPassword } from '../local-directory/reset-password.ts'
import * as directory from '../local-directory/store.ts'
import { addUsers } from '../users/create.ts'
import { Misuse, runOnDatabase } from './run.ts'

const usage = `npm run password -- <name>                            sets a new password and signs the person out everywhere
npm run password -- <name> --add "<full name>" <e-mail>   adds someone to the built-in directory, with an account`

const byCommand = { reason: 'command line' }

const [name, option, displayName, email] = process.argv.slice(2)

await runOnDatabase(async (sql) => {
  if (!name || (option && !(option === '--add' && displayName && email))) throw new Misuse(usage)
  const password = generatePassword()
  const subject =
    displayName && email ? await add(sql, { name, displayName, email }, password) : await reset(sql, name, password)
  console.log(`The password of ${name} is now  ${password}`)
  if (option)
    console.log(`To make them an administrator: npm run admin -- grant ${directory.identityIssuer} ${subject}`)
})

async function add(
  sql: Sql,
  person: { name: string; displayName: string; email: string },
  password: string,
): Promise<string> {
  if (await directory.findByName(sql, person.name)) throw new Misuse(`There is a ${person.name} already.`)
  const passwordHash = await hashPassword(password)
  return transaction(sql, async (sql) => {
    const id = await directory.add(sql, { ...person, passwordHash, isCast: false })
    await recordPasswordSet(sql, id, byCommand)
    await addAccount(sql, person, id)
    return id
  })
}

/** The account that they come to by signing in: who is added by hand needs no invitation, unless one was made for them before. */
async function addAccount(
  sql: Sql,
  { name, displayName, email }: { name: string; displayName: string; email: string },
  subject: string,
) {
  const account = { username: name, displayName, email, emailVerified: false, isDisabled: false, roles: [] }
  const [added] = await addUsers(sql, [account], byCommand)
  if (!added?.id) {
    console.log(
      `There is an account with that ${added?.fault?.column ?? 'name'} already: only an invitation leads to it.`,
    )
    return
  }
  const login = { providerId: 'local', issuer: directory.identityIssuer, subject, label: email }
  await accounts.addLogin(sql, added.id, login)
}

async function reset(sql: Sql, name: string, password: string): Promise<string> {
  const person = await directory.findByName(sql, name)
  if (!person) throw new Misuse(`There is no ${name} in the built-in directory.\n${usage}`)
  await transaction(sql, (sql) => resetPassword(sql, person.id, password, byCommand))
  return person.id
}
