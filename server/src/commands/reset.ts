import { existsSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { ConfigError, loadConfig } from '../config.ts'
import { homeOf, socketsOf } from '../database/embedded-home.ts'
import { livingOwner } from '../database/embedded-owner.ts'
import { removeRemains } from '../database/embedded-remains.ts'

try {
  await reset()
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}

/** Deletes the data directory, after asking; `--yes` is the answer beforehand. */
async function reset() {
  const dataDir = resolve(loadConfig(process.env).dataDir)
  const home = homeOf(dataDir)
  const owner = livingOwner(dataDir)
  if (owner) throw new ConfigError([`Passport runs on ${dataDir} (process ${owner.pid}). Stop it first.`])
  if (!existsSync(dataDir)) return console.log(`There is nothing at ${dataDir}.`)
  if (!process.argv.includes('--yes') && !(await isSure(dataDir))) return console.log('Nothing was deleted.')
  await removeRemains(`${home}/tables`, socketsOf(dataDir))
  if (!home.startsWith(dataDir)) rmSync(dirname(home), { recursive: true, force: true })
  rmSync(dataDir, { recursive: true, force: true })
  console.log('All data is gone. The next start is a first one.')
}

async function isSure(dataDir: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`Delete everything in ${dataDir}: people, keys, sessions, audit? Type yes: `)
  terminal.close()
  return answer.trim() === 'yes'
}
