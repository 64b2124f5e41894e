import { parseArgs } from 'node:util'
import { cast } from '../database/cast.ts'
import { seedDirectory } from '../database/seed.ts'
import * as users from '../users/store.ts'
import { Misuse, runOnDatabase } from './run.ts'

const usage = `npm run seed -- [--users 1000000] [--groups 100000] [--orgs 10000] [--into-existing]
   adds made-up people, groups and organisations, to see how Passport does with many. Nobody of them can sign in.`

await runOnDatabase(async (sql) => {
  const { size, isIntoExisting } = readArguments()
  const existing = await users.count(sql)
  if (existing > cast.length && !isIntoExisting)
    throw new Misuse(`There are ${existing} people here already. Add --into-existing if you mean it.`)
  const since = performance.now()
  const seconds = () => `${((performance.now() - since) / 1000).toFixed(1)} s`
  await seedDirectory(sql, size, (line) => console.log(`${seconds().padStart(8)}   ${line}`))
  console.log(`${seconds().padStart(8)}   done`)
  if (existing === 0)
    console.log(`\nNobody can sign in yet: npm run password -- <name> --add "<full name>" <e-mail> adds someone.`)
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
    if (!isSize) throw new Error('Each is a number, at least 1.')
    return { size, isIntoExisting: values['into-existing'] }
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n${usage}`)
  }
}
