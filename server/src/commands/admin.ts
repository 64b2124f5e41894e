import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as directory from '../local-directory/store.ts'
import * as provider from '../provider/store.ts'
import { endAll } from '../sessions/end.ts'
import { addUsers } from '../users/create.ts'
import { addRole } from '../users/states.ts'
import * as users from '../users/store.ts'
import { Misuse, runOnDatabase } from './run.ts'

const usage = `npm run admin -- grant <issuer> <sub>   makes someone an administrator, known by their identity provider
npm run admin -- dismiss-cast           removes the demonstration people`

const byCommand = { reason: 'command line' }

const [command, issuer, subject] = process.argv.slice(2)

await runOnDatabase(async (sql, { identityProviders }) => {
  if (command === 'dismiss-cast') return dismissCast(sql)
  if (command !== 'grant' || !issuer || !subject) throw new Misuse(usage)
  const isLocal = issuer === directory.identityIssuer
  const upstream = identityProviders.find((one) => (one.kind === 'local' ? isLocal : one.issuer === issuer))
  if (!upstream) throw new Misuse(`No identity provider of this server has the issuer ${issuer}.`)
  await grantAdmin(sql, { providerId: upstream.id, issuer, subject, label: subject })
})

/** Someone whom Passport does not know yet gets an account, or nobody could ever be the first. */
async function grantAdmin(sql: Sql, identity: accounts.Identity) {
  await transaction(sql, async (sql) => {
    const known = await accounts.findLogin(sql, identity.issuer, identity.subject)
    const userId = known?.userId ?? (await addUser(sql, identity))
    const { changed } = await addRole('Passport.Admin')(sql, await users.lockRows(sql, [userId]), byCommand)
    const isNew = changed.length > 0
    console.log(`${identity.subject} ${isNew ? 'is now' : 'was already'} an administrator (user ${userId}).`)
  })
}

async function addUser(sql: Sql, identity: accounts.Identity): Promise<string> {
  const nobody = { username: null, displayName: null, email: null, emailVerified: false, isDisabled: false, roles: [] }
  const [added] = await addUsers(sql, [nobody], byCommand)
  if (!added?.id) throw new Error('Nothing is in the way of someone without a name')
  await accounts.addLogin(sql, added.id, identity)
  return added.id
}

async function dismissCast(sql: Sql) {
  await transaction(sql, async (sql) => {
    const subjects = await directory.removeCast(sql)
    for (const subject of subjects) {
      await provider.endAllOf(sql, 'directory', subject)
      const login = await accounts.findLogin(sql, directory.identityIssuer, subject)
      if (!login) continue
      await endAll(sql, [login.userId])
      await users.remove(sql, login.userId)
      await audit.record(sql, { ...byCommand, action: 'cast.dismissed', target: { kind: 'user', id: login.userId } })
    }
    console.log(
      subjects.length === 0
        ? 'There are no demonstration people.'
        : `${subjects.length} demonstration people are gone.`,
    )
  })
}
