import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../config.ts'
import { isAlive } from './embedded-cleanup.ts'

/*
 * One process owns a data directory: it starts PostgreSQL on it, and ends it. Commands that run at the same time are
 * guests: they use the PostgreSQL of the owner, which waits for them before it ends it. The owner announces its end before
 * it looks for guests, and a guest registers before it looks for the announcement, so that one of them sees the other. A
 * killed owner leaves PostgreSQL to its guests: the next owner waits for them.
 */

/** A process; the start time distinguishes it from a later one with the same id. */
interface Participant {
  pid: number
  startedAt: string
  /** What the process is, for messages; earlier releases do not write it. */
  name?: string
}

interface Owner extends Participant {
  /** A command, which ends when its work is done. */
  isCommand?: boolean
  isEnding?: boolean
}

interface Guest extends Participant {
  /** The process that owned the data directory when this one joined. */
  ownerPid: number
}

/** The registration of this process as a guest. */
export interface Membership {
  /** Reports whether the owner is still the same, and not ending. */
  isValid: () => boolean
  leave: () => void
}

/** The claim of this process to a data directory. */
export interface Claim {
  /** Waits until no guest uses the database, or until a second signal to this process. No guest joins any more. */
  end: (onNotice: (line: string) => void) => Promise<void>
  release: () => void
}

export interface ClaimOptions {
  isCommand?: boolean | undefined
  /** Called when the claim has to wait. */
  onNotice?: ((line: string) => void) | undefined
  /** Ends the wait for the claim, which then throws the reason. */
  stopping?: AbortSignal | undefined
}

/** Thrown if a running process owns a data directory and keeps it. */
export class DataDirectoryInUse extends ConfigError {}

const pollMs = 50

/**
 * Claims a data directory for this process. Waits for an owner that is ending; a server also waits for a command. The claim
 * of a killed process is replaced. Throws `DataDirectoryInUse`.
 */
export async function claimDataDirectory(
  dataDir: string,
  { isCommand = false, onNotice, stopping }: ClaimOptions,
): Promise<Claim> {
  for (let isWaiting = false; ; await delay(pollMs)) {
    stopping?.throwIfAborted()
    const claim = tryClaim(dataDir, isCommand)
    if (claim) {
      const find = () => listGuests(dataDir).find(({ ownerPid }) => ownerPid !== process.pid)
      await waitForEnd(
        find,
        (guest) => onNotice?.(`Waiting for ${describeProcess(guest)} to end, which uses ${dataDir}`),
        () => stopping?.aborted === true,
      )
      if (stopping?.aborted) claim.release()
      stopping?.throwIfAborted()
      return claim
    }
    const owner = findOwner(dataDir)
    if (!owner) continue
    const willEnd = owner.isEnding || (owner.isCommand && !isCommand)
    if (!willEnd)
      throw new DataDirectoryInUse([
        `Another Passport (process ${owner.pid}) uses ${dataDir}. Stop it, or set another DATA_DIR or DATABASE_URL for this one.`,
      ])
    if (!isWaiting) onNotice?.(`Waiting for ${describeProcess(owner)} to end, which uses ${dataDir}`)
    isWaiting = true
  }
}

/** Claims a data directory; returns undefined if a running process owns it. */
export function tryClaim(dataDir: string, isCommand: boolean): Claim | undefined {
  const file = fileOf(dataDir)
  const owner: Owner = { ...describeSelf(), isCommand }
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
      return {
        end: (onNotice) => endOwnership(dataDir, owner, onNotice),
        release: () => rmSync(file, { force: true }),
      }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        // A full disk leaves an empty file.
        rmSync(file, { force: true })
        throw error
      }
    }
    if (findOwner(dataDir)) return undefined
    removeStaleClaim(file)
  }
}

async function endOwnership(dataDir: string, owner: Owner, onNotice: (line: string) => void) {
  announceEnd(fileOf(dataDir), owner)
  const beganAt = performance.now()
  let isForced = false
  // One Ctrl-C is often two signals, one from the terminal and one from npm.
  const force = () => {
    isForced ||= performance.now() - beganAt > 1_000
  }
  const notify = (guest: Guest) =>
    onNotice(`Waiting for ${describeProcess(guest)}, which uses the database; Ctrl-C ends the database at once`)
  for (const signal of endSignals) process.on(signal, force)
  await waitForEnd(
    () => listGuests(dataDir)[0],
    notify,
    () => isForced,
  )
  for (const signal of endSignals) process.off(signal, force)
}

/** Waits until no guest is found or the wait is over; `notify` is called once, with the first one. */
async function waitForEnd(find: () => Guest | undefined, notify: (guest: Guest) => void, isOver: () => boolean) {
  for (let isWaiting = false; !isOver(); await delay(pollMs)) {
    const guest = find()
    if (!guest) return
    if (!isWaiting) notify(guest)
    isWaiting = true
  }
}

function announceEnd(file: string, owner: Owner) {
  const announcement = `${file}.${process.pid}`
  try {
    // Renamed, so that no other process reads a part of it.
    writeFileSync(announcement, JSON.stringify({ ...owner, isEnding: true }), { mode: 0o600 })
    renameSync(announcement, file)
  } catch {
    // A full disk must not keep PostgreSQL running. A command that joins now loses its connection.
    rmSync(announcement, { force: true })
  }
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Registers this process as a guest of a data directory; returns undefined if no running process owns it, or that one is ending. */
export function joinDataDirectory(dataDir: string): Membership | undefined {
  const findHost = () => {
    const owner = findOwner(dataDir)
    return owner?.isEnding ? undefined : owner?.pid
  }
  const ownerPid = findHost()
  if (ownerPid === undefined) return undefined
  const file = join(dataDir, `guest-${process.pid}.json`)
  const guest: Guest = { ...describeSelf(), ownerPid }
  writeFileSync(file, JSON.stringify(guest), { mode: 0o600 })
  const membership = { isValid: () => findHost() === ownerPid, leave: () => rmSync(file, { force: true }) }
  if (membership.isValid()) return membership
  membership.leave()
  return undefined
}

/** Reports whether a file of a data directory is the claim of an owner or a guest. */
export const isClaimFile = (name: string): boolean => /^(owner\.json(\.\d+)?|guest-\d+\.json)$/.test(name)

/** Returns the running guests, and removes what killed ones left. */
function listGuests(dataDir: string): Guest[] {
  if (!existsSync(dataDir)) return []
  const files = readdirSync(dataDir).filter((name) => /^guest-\d+\.json$/.test(name))
  return files.flatMap((name) => {
    const guest = readParticipant<Guest>(join(dataDir, name))
    if (guest && isRunning(guest)) return [guest]
    rmSync(join(dataDir, name), { force: true })
    return []
  })
}

const fileOf = (dataDir: string) => join(dataDir, 'owner.json')

/** Returns the running process that owns a data directory. */
export function findOwner(dataDir: string): Owner | undefined {
  const owner = readParticipant<Owner>(fileOf(dataDir))
  return owner && isRunning(owner) ? owner : undefined
}

/** Removes a stale claim. If a concurrent start has just replaced it with a valid one, restores that. */
function removeStaleClaim(file: string) {
  const removedFile = `${file}.${process.pid}`
  try {
    renameSync(file, removedFile)
    const removed = readParticipant(removedFile)
    if (removed && isRunning(removed)) linkSync(removedFile, file)
    rmSync(removedFile)
  } catch (error) {
    // Another start removed or replaced the claim, which the caller's next attempt detects.
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code

const isRunning = ({ pid, startedAt }: Participant) => isAlive(pid) && readStartTime(pid) === startedAt

function describeSelf(): Participant {
  const file = basename(process.argv[1] ?? '', '.ts')
  const name = file === 'main' ? 'Passport' : `npm run ${file}`
  return { pid: process.pid, startedAt: readStartTime(process.pid), name }
}

/** Describes a process by what it is and its id. */
export const describeProcess = ({ name = 'Passport', pid }: Participant): string => `${name} (process ${pid})`

function readParticipant<Kind extends Participant>(file: string): Kind | undefined {
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
