import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** No account has these ids: systemd documents them as unused on Linux. Ids above 65535 are missing in many containers. */
const [firstId, idCount] = [60578, 606]
/** The id of every data directory in earlier releases, whose PostgreSQL could read the others. */
const sharedUserId = 60954
/** `nobody`, as which still earlier releases ran PostgreSQL; other programs run as `nobody` too. */
export const nobodyUserId = 65534

/** The claimed ids: a file for each, with the directory of the embedded PostgreSQL that has it. */
const claims = '/var/lib/passport/users'

const isOwnId = (id: number): boolean => id >= firstId && id < firstId + idCount

/** Reports whether PostgreSQL may have run as a user id on a data directory: now, or in an earlier release. */
export const isPostgresUserId = (id: number): boolean => isOwnId(id) || id === nobodyUserId

/**
 * Returns a user id for the PostgreSQL of a directory, which no other directory of this machine has, and claims it. That
 * of existing tables is kept if it is not shared. Where claims cannot be stored, the id follows from the path alone.
 */
export function claimUserId(directory: string): number {
  const current = readStats(join(directory, 'tables'))?.uid
  const preferred =
    current !== undefined && isOwnId(current)
      ? current - firstId
      : createHash('sha256').update(directory).digest().readUInt32BE() % idCount
  for (let attempt = 0; attempt < idCount; attempt++) {
    const id = firstId + ((preferred + attempt) % idCount)
    if (id !== sharedUserId && claim(id, directory)) return id
  }
  return firstId + preferred
}

/** Claims an id; returns false if another existing directory has it. */
function claim(id: number, directory: string): boolean {
  const file = join(claims, String(id))
  try {
    mkdirSync(claims, { recursive: true })
    writeFileSync(file, directory, { flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') return true
    const holder = readFileSync(file, 'utf8')
    if (holder !== directory && hasId(holder, id, directory)) return false
    writeFileSync(file, directory)
  }
  return true
}

/** Reports whether a directory belongs to an id, and is not the same one by another path. */
function hasId(holder: string, id: number, directory: string): boolean {
  const [holderStats, stats] = [readStats(holder), readStats(directory)]
  return holderStats?.uid === id && !(stats?.ino === holderStats.ino && stats.dev === holderStats.dev)
}

const readStats = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })
