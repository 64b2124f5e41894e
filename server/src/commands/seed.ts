import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import { listInstances } from '../health/store.ts'
import { allowsDemoUsers, demoUsers, seedDemoUsers } from '../seed/demo-users.ts'
import { seedDirectory } from '../seed/seed.ts'
import { DatabaseNotEmptyError, seedCompany } from '../seed/seed-company.ts'
import * as users from '../users/store.ts'
import { runOnDatabase, UsageError } from './run.ts'

const [minUsers, maxUsers] = [50, 20_000]
const usage = `npm run seed -- 2000
   adds a small company of this many users to a database without other data: its last 30 days of sign-ins, changes and
   responses, sessions and permissions. From ${minUsers} to ${maxUsers} users.
npm run seed -- [--users 1000000] [--groups 100000] [--orgs 10000] [--into-existing]
   adds generated users, groups and organisations, to test Passport with many records.
Neither kind of user can sign in.`

await runOnDatabase(async (sql, config) => {
  const { userCount, size, isIntoExisting } = readArguments()
  const startedAt = performance.now()
  const report = (line: string) =>
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s   ${line}`)
  const before = await users.count(sql)
  if (userCount !== undefined) await addCompany(sql, config, userCount, report)
  else {
    if (before > demoUsers.length && !isIntoExisting)
      throw new UsageError(`The database already has ${before} users. To seed it anyway, add --into-existing.`)
    // It locks its tables for minutes. A server that was killed counts as running for a minute.
    if ((await listInstances(sql)).length > 0)
      throw new UsageError(
        'A server uses this database, or did in the last minute. Stop it first, because a generated directory is added without indexes, and requests would wait for them. npm run seed -- 2000 works beside a server.',
      )
    await seedDirectory(sql, size, report)
  }
  report('done')
  if ((userCount === undefined || !allowsDemoUsers(config)) && before === 0)
    console.log(`\nTo add a user who can sign in: npm run password -- <name> --add "<full name>" <email>`)
})

/** Adds the company, and the demo users if the first start of the server would have added them. */
async function addCompany(sql: Sql, config: Config, userCount: number, report: (line: string) => void) {
  const password = allowsDemoUsers(config) ? await seedDemoUsers(sql) : undefined
  const names = demoUsers.map(({ name }) => name).join(', ')
  if (password) console.log(`Added the demo users. Sign in as ${names} with the password  ${password}\n`)
  try {
    await seedCompany({ sql, usesSpiceDb: config.spiceDb !== undefined }, userCount, report)
  } catch (error) {
    throw error instanceof DatabaseNotEmptyError ? new UsageError(error.message) : error
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        users: { type: 'string', default: '1000000' },
        groups: { type: 'string', default: '100000' },
        orgs: { type: 'string', default: '10000' },
        'into-existing': { type: 'boolean', default: false },
      },
    })
    const size = { users: Number(values.users), groups: Number(values.groups), orgs: Number(values.orgs) }
    const isSize = Object.values(size).every((count) => Number.isInteger(count) && count >= 1 && count <= 100_000_000)
    if (!isSize) throw new Error('--users, --groups and --orgs must be integers from 1 to 100000000.')
    return { userCount: parseUserCount(positionals), size, isIntoExisting: values['into-existing'] }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}

function parseUserCount([text, ...others]: string[]): number | undefined {
  if (text === undefined) return undefined
  const userCount = Number(text)
  if (others.length === 0 && Number.isInteger(userCount) && userCount >= minUsers && userCount <= maxUsers)
    return userCount
  throw new Error(`The number of users must be an integer from ${minUsers} to ${maxUsers}.`)
}
