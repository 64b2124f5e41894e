import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { cleanUpAfterCrash } from '../database/embedded-cleanup.ts'
import { homeOf, socketsOf } from '../database/embedded-home.ts'
import { describeProcess, findOwner, isClaimFile, tryClaim } from '../database/embedded-owner.ts'
import { confirmOnTerminal } from './confirm.ts'
import { runCommand, UsageError } from './run.ts'

/** What Passport and `npm run world` write to a data directory, besides the claims of processes. */
const ownFiles = /^(postgres|secret|demo\.json|passport\.log|aws-marketplace\.json|consents-\w+\.json)$/
/** The default data directory of `npm run world` is in that of `npm start`, and has its own `npm run reset`. */
const worldDirectory = 'world'

await runCommand(reset)

/** Deletes the data in the data directory after confirmation; `--yes` skips the prompt. */
async function reset() {
  const [option, ...others] = process.argv.slice(2)
  if (others.length > 0 || (option !== undefined && option !== '--yes'))
    throw new UsageError('npm run reset [-- --yes]   deletes all data; --yes skips the confirmation')
  if (process.env['DATABASE_URL'])
    throw new UsageError(
      'DATABASE_URL is set, and npm run reset only deletes the data directory of the embedded database. To begin without data, set DATABASE_URL to an empty database, or unset it to reset the embedded one.',
    )
  const dataDir = resolve(loadConfig(process.env).dataDir)
  if (!existsSync(dataDir)) return console.log(`${dataDir} does not exist. There is nothing to delete.`)
  const entries = listEntries(dataDir)
  if (entries.length === 0) return console.log(`${dataDir} has no data of Passport. There is nothing to delete.`)
  rejectIfInUse(dataDir)
  if (option !== '--yes' && !(await confirmDeletion(dataDir))) return console.log('Nothing was deleted.')
  // The question may have been on the screen for hours. From here on no other process can start on the data.
  if (!tryClaim(dataDir, true)) rejectIfInUse(dataDir)
  await deleteData(dataDir, entries)
  console.log('All data was deleted.')
  const world = join(dataDir, worldDirectory)
  if (existsSync(world)) console.log(`The demo world was kept. To delete it: DATA_DIR=${world} npm run reset`)
}

/** Lists what belongs to Passport in a data directory. Throws `UsageError` if it has anything else. */
function listEntries(dataDir: string): string[] {
  const entries = readdirSync(dataDir).filter((name) => !isClaimFile(name) && name !== worldDirectory)
  const others = entries.filter((name) => !ownFiles.test(name))
  if (others.length === 0) return entries
  const more = others.length > 3 ? ` and ${others.length - 3} more` : ''
  throw new UsageError(
    `Nothing was deleted: ${dataDir} is not only a data directory of Passport, it has ${others.slice(0, 3).join(', ')}${more}. Check DATA_DIR, or move them away.`,
  )
}

function rejectIfInUse(dataDir: string) {
  const owner = findOwner(dataDir)
  if (owner)
    throw new UsageError(`${describeProcess(owner)} is running with the data directory ${dataDir}. Stop it first.`)
}

async function confirmDeletion(dataDir: string): Promise<boolean> {
  if (process.stdin.isTTY)
    return confirmOnTerminal(`Delete everything in ${dataDir}: users, keys, sessions and the audit log?`)
  throw new UsageError(
    `This deletes everything in ${dataDir}: users, keys, sessions and the audit log.\nTo confirm without a terminal: npm run reset -- --yes`,
  )
}

async function deleteData(dataDir: string, entries: string[]) {
  const home = homeOf(dataDir)
  await cleanUpAfterCrash(join(home, 'tables'), socketsOf(dataDir))
  if (!home.startsWith(dataDir)) rmSync(dirname(home), { recursive: true, force: true })
  const claims = readdirSync(dataDir).filter(isClaimFile)
  for (const name of [...entries, ...claims]) rmSync(join(dataDir, name), { recursive: true, force: true })
  if (readdirSync(dataDir).length === 0) rmSync(dataDir, { recursive: true })
}
