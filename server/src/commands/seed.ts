import { parseArgs } from 'node:util'
import { demoUsers } from '../seed/demo-users.ts'
import { seedDirectory } from '../seed/seed.ts'
import * as users from '../users/store.ts'
import { runOnDatabase, UsageError } from './run.ts'

const usage = `npm run seed -- [--users 1000000] [--groups 100000] [--orgs 10000] [--into-existing]
   adds generated users, groups and organisations, to test Passport with many records. These users cannot sign in.`

await runOnDatabase(async (sql) => {
  const { size, isIntoExisting } = readArguments()
  const existing = await users.count(sql)
  if (existing > demoUsers.length && !isIntoExisting)
    throw new UsageError(`The database already has ${existing} users. To seed it anyway, add --into-existing.`)
  const startedAt = performance.now()
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
  await seedDirectory(sql, size, (line) => console.log(`${seconds().padStart(8)}   ${line}`))
  console.log(`${seconds().padStart(8)}   done`)
  if (existing === 0)
    console.log(`\nTo add a user who can sign in: npm run password -- <name> --add "<full name>" <email>`)
})

function readArguments() {
  try {
    const { values } = parseArgs({
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
    return { size, isIntoExisting: values['into-existing'] }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}
