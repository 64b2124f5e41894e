import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import { isAlive } from './embedded-remains.ts'

/** A process and when it started: a number that is used again does not name the same process. */
interface Owner {
  pid: number
  startedAt: string
}

/**
 * Claims a data directory for this process; throws `ConfigError` where a living Passport has it. Returns what gives it back.
 * The claim of a killed process counts for nothing.
 */
export function claimDataDirectory(dataDir: string): () => void {
  const file = fileOf(dataDir)
  const mine: Owner = { pid: process.pid, startedAt: startOf(process.pid) }
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(mine), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
    const owner = livingOwner(dataDir)
    if (owner) {
      throw new ConfigError([
        `Another Passport (process ${owner.pid}) uses ${dataDir}. Stop it, or give this one a DATA_DIR or a DATABASE_URL of its own.`,
      ])
    }
    dropClaim(file)
  }
}

const fileOf = (dataDir: string) => join(dataDir, 'owner.json')

/** The living process that has claimed a data directory. */
export function livingOwner(dataDir: string): Owner | undefined {
  const owner = readOwner(fileOf(dataDir))
  return isLiving(owner) ? owner : undefined
}

/** Takes a dead claim away; puts it back where another start was faster and it is a living one by now. */
function dropClaim(file: string) {
  const taken = `${file}.${process.pid}`
  try {
    renameSync(file, taken)
    if (isLiving(readOwner(taken))) linkSync(taken, file)
    rmSync(taken)
  } catch {
    // Gone or made anew meanwhile: the next round sees.
  }
}

const isLiving = (owner: Owner | undefined) =>
  owner !== undefined && isAlive(owner.pid) && startOf(owner.pid) === owner.startedAt

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** In clock ticks since the machine started; empty where the platform has no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
