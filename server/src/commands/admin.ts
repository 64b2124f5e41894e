import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as directory from '../local-directory/store.ts'
import * as provider from '../provider/store.ts'
import * as roles from '../roles/store.ts'
import * as sessions from '../sessions/store.ts'
import * as users from '../users/store.ts'
import { Misuse, runOnDatabase } from './run.ts'

const usage = `npm run admin -- grant <issuer> <sub>   makes someone an administrator, known by their identity provider
npm run admin -- dismiss-cast           removes the demonstration people`

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
    const isNew = await roles.grant(sql, 'Passport.Admin', userId)
    const told = { role: 'Passport.Admin', issuer: identity.issuer, subject: identity.subject }
    if (isNew)
      await audit.record(sql, {
        action: 'role.granted',
        target: { kind: 'user', id: userId },
        after: told,
        reason: 'command line',
      })
    console.log(`${identity.subject} ${isNew ? 'is now' : 'was already'} an administrator (user ${userId}).`)
  })
}

async function addUser(sql: Sql, identity: accounts.Identity): Promise<string> {
  const userId = await users.create(sql, { username: null, displayName: null, email: null, emailVerified: false })
  await accounts.addLogin(sql, userId, identity)
  await audit.record(sql, { action: 'user.created', target: { kind: 'user', id: userId }, reason: 'command line' })
  return userId
}

async function dismissCast(sql: Sql) {
  await transaction(sql, async (sql) => {
    const subjects = await directory.removeCast(sql)
    for (const subject of subjects) {
      await provider.endAllOf(sql, 'directory', subject)
      const login = await accounts.findLogin(sql, directory.identityIssuer, subject)
      if (!login) continue
      await sessions.removeAll(sql, login.userId)
      await provider.endAllOf(sql, 'passport', login.userId)
      await users.remove(sql, login.userId)
      await audit.record(sql, {
        action: 'cast.dismissed',
        target: { kind: 'user', id: login.userId },
        reason: 'command line',
      })
    }
    console.log(
      subjects.length === 0
        ? 'There are no demonstration people.'
        : `${subjects.length} demonstration people are gone.`,
    )
  })
}
