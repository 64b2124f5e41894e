import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { generatePassword } from '../database/cast.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { hashPassword } from '../local-directory/password.ts'
import * as directory from '../local-directory/store.ts'
import * as provider from '../provider/store.ts'
import * as sessions from '../sessions/store.ts'
import { Misuse, runOnDatabase } from './run.ts'

const usage = `npm run password -- <name>                            sets a new password and signs the person out everywhere
npm run password -- <name> --add "<full name>" <e-mail>   adds someone to the built-in directory`

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
    await recordSet(sql, id)
    return id
  })
}

async function reset(sql: Sql, name: string, password: string): Promise<string> {
  const person = await directory.findByName(sql, name)
  if (!person) throw new Misuse(`There is no ${name} in the built-in directory.\n${usage}`)
  const passwordHash = await hashPassword(password)
  await transaction(sql, async (sql) => {
    await directory.setPassword(sql, person.id, passwordHash)
    const login = await accounts.findLogin(sql, directory.identityIssuer, person.id)
    if (login) {
      await sessions.removeAll(sql, login.userId)
      await provider.endAllOf(sql, 'passport', login.userId)
    }
    // Who is signed in at the directory itself would get in again without the password.
    await provider.endAllOf(sql, 'directory', person.id)
    await recordSet(sql, person.id)
  })
  return person.id
}

function recordSet(sql: Sql, id: string) {
  const target = { kind: 'directory-person' as const, id }
  return audit.record(sql, { action: 'directory.password-set', target, reason: 'command line' })
}
