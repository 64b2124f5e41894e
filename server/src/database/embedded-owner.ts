import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import { isAlive } from './embedded-cleanup.ts'

/** A process; the start time distinguishes it from a later one with the same id. */
interface Owner {
  pid: number
  startedAt: string
}

/**
 * Claims a data directory for this process, and returns a function that releases it. Throws `ConfigError` if a running
 * Passport has claimed it. The claim of a killed process is replaced.
 */
export function claimDataDirectory(dataDir: string): () => void {
  const file = fileOf(dataDir)
  const claim: Owner = { pid: process.pid, startedAt: readStartTime(process.pid) }
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(claim), { flag: 'wx', mode: 0o600 })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        // A full disk leaves an empty file.
        rmSync(file, { force: true })
        throw error
      }
    }
    const owner = findOwner(dataDir)
    if (owner) {
      throw new ConfigError([
        `Another Passport (process ${owner.pid}) uses ${dataDir}. Stop it, or set another DATA_DIR or DATABASE_URL for this one.`,
      ])
    }
    removeStaleClaim(file)
  }
}

const fileOf = (dataDir: string) => join(dataDir, 'owner.json')

/** Returns the running process that has claimed a data directory. */
export function findOwner(dataDir: string): Owner | undefined {
  const owner = readOwner(fileOf(dataDir))
  return isRunning(owner) ? owner : undefined
}

/** Removes a stale claim. If a concurrent start has just replaced it with a valid one, restores that. */
function removeStaleClaim(file: string) {
  const removedFile = `${file}.${process.pid}`
  try {
    renameSync(file, removedFile)
    if (isRunning(readOwner(removedFile))) linkSync(removedFile, file)
    rmSync(removedFile)
  } catch (error) {
    // Another start removed or replaced the claim, which the caller's next attempt detects.
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code

const isRunning = (owner: Owner | undefined) =>
  owner !== undefined && isAlive(owner.pid) && readStartTime(owner.pid) === owner.startedAt

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Returns the start time in clock ticks since boot; empty on platforms without /proc. */
function readStartTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
