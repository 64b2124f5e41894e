import { endAllCredentials } from '../accounts/end-sessions.ts'
import { linkLogin } from '../accounts/link-login.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as directory from '../local-directory/store.ts'
import * as provider from '../provider/store.ts'
import { addUsers } from '../users/create.ts'
import { addRole } from '../users/states.ts'
import * as users from '../users/store.ts'
import { runOnDatabase, UsageError } from './run.ts'

const usage = `npm run admin -- grant <issuer> <sub>   makes the user with this identity an administrator
npm run admin -- remove-demo-users      removes the demo users`

const commandLine = { reason: 'command line' }

const [command, issuer, subject] = process.argv.slice(2)

await runOnDatabase(async (sql, { identityProviders }) => {
  if (command === 'remove-demo-users') return removeDemoUsers(sql)
  if (command !== 'grant' || !issuer || !subject) throw new UsageError(usage)
  const isLocal = issuer === directory.identityIssuer
  const upstream = identityProviders.find((idp) => (idp.kind === 'local' ? isLocal : idp.issuer === issuer))
  if (!upstream) throw new UsageError(`No identity provider has the issuer ${issuer}.`)
  await grantAdmin(sql, { providerId: upstream.id, issuer, subject, label: subject })
})

/** Creates an account for an unknown identity, because otherwise there could be no first administrator. */
async function grantAdmin(sql: Sql, identity: accounts.Identity) {
  await transaction(sql, async (sql) => {
    const login = await accounts.findLogin(sql, identity.issuer, identity.subject)
    const userId = login?.userId ?? (await addUser(sql, identity))
    const { changed } = await addRole('Passport.Admin')(sql, await users.lockRows(sql, [userId]), commandLine)
    const isNew = changed.length > 0
    console.log(`${identity.subject} ${isNew ? 'is now' : 'was already'} an administrator (user ${userId}).`)
  })
}

async function addUser(sql: Sql, identity: accounts.Identity): Promise<string> {
  const emptyUser = {
    username: null,
    displayName: null,
    email: null,
    emailVerified: false,
    isDisabled: false,
    roles: [],
  }
  const [added] = await addUsers(sql, [emptyUser], commandLine)
  if (!added?.id) throw new Error('A user without a name was not created')
  await linkLogin(sql, added.id, identity)
  return added.id
}

async function removeDemoUsers(sql: Sql) {
  await transaction(sql, async (sql) => {
    const subjects = await directory.removeDemoUsers(sql)
    for (const subject of subjects) {
      await provider.endAllSessionsAndGrants(sql, 'directory', subject)
      const login = await accounts.findLogin(sql, directory.identityIssuer, subject)
      if (!login) continue
      await endAllCredentials(sql, [login.userId])
      await users.remove(sql, login.userId)
      await audit.record(sql, {
        ...commandLine,
        action: 'demo-user.removed',
        target: { kind: 'user', id: login.userId },
      })
    }
    console.log(subjects.length === 0 ? 'There are no demo users.' : `Removed ${subjects.length} demo users.`)
  })
}
