import { existsSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ConfigError, loadConfig } from '../config.ts'
import { cleanUpAfterCrash } from '../database/embedded-cleanup.ts'
import { homeOf, socketsOf } from '../database/embedded-home.ts'
import { findOwner } from '../database/embedded-owner.ts'
import { confirmOnTerminal } from './confirm.ts'
import { runCommand } from './run.ts'

await runCommand(reset)

/** Deletes the data directory after confirmation; `--yes` skips the prompt. */
async function reset() {
  const dataDir = resolve(loadConfig(process.env).dataDir)
  const home = homeOf(dataDir)
  const owner = findOwner(dataDir)
  if (owner)
    throw new ConfigError([
      `Passport is running with the data directory ${dataDir} (process ${owner.pid}). Stop it first.`,
    ])
  if (!existsSync(dataDir)) return console.log(`${dataDir} does not exist. There is nothing to delete.`)
  if (!process.argv.includes('--yes') && !(await confirmDeletion(dataDir))) return console.log('Nothing was deleted.')
  await cleanUpAfterCrash(`${home}/tables`, socketsOf(dataDir))
  if (!home.startsWith(dataDir)) rmSync(dirname(home), { recursive: true, force: true })
  rmSync(dataDir, { recursive: true, force: true })
  console.log('All data was deleted.')
}

async function confirmDeletion(dataDir: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new ConfigError([
      `This deletes everything in ${dataDir}: users, keys, sessions and the audit log.`,
      'To confirm without a terminal: npm run reset -- --yes',
    ])
  }
  return confirmOnTerminal(`Delete everything in ${dataDir}: users, keys, sessions and the audit log?`)
}
