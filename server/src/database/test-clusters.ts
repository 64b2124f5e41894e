import { execFile, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

// The embedded PostgreSQL has no pg_dump and pg_basebackup, and those of Debian may be too old for it: tests of these
// start servers of Debian.
const installed = '/usr/lib/postgresql'
const programs = ['initdb', 'pg_basebackup', 'pg_ctl', 'pg_dump', 'pg_restore', 'pg_upgrade', 'postgres']
const versions = (existsSync(installed) ? readdirSync(installed) : [])
  .map((version) => join(installed, version, 'bin'))
  .filter((directory) => programs.every((name) => existsSync(join(directory, name))))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

/** The directories with the programs of the oldest and the newest installed version; empty if none is installed. */
export const [oldest, newest] = [versions[0] ?? '', versions.at(-1) ?? '']
export const isPostgresInstalled = versions.length > 0
if (!isPostgresInstalled) console.warn(`Skipped: PostgreSQL is not installed in ${installed}.`)

/** Data directories of PostgreSQL and the sockets of their servers, for one test. */
export interface Clusters {
  home: string
  /** Runs a program in the directory, as the user of PostgreSQL. Throws if it fails or prints a warning. */
  run: (file: string, args: string[]) => Promise<void>
  create: (binaries: string, name: string) => Promise<void>
  /** Starts a server on a data directory; returns a function that stops it. */
  start: (binaries: string, name: string) => Promise<() => Promise<void>>
  /** Makes a data directory that of a replica of the server with this socket directory, from its next start. */
  makeReplica: (name: string, primaryDirectory: string) => void
}

/** Creates an empty directory for data directories, which is deleted after the test. */
export function createClusters(): Clusters {
  const home = mkdtempSync(join(tmpdir(), 'passport-clusters-'))
  const user = findPostgresUser()
  const own = (path: string) => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
  }
  own(home)
  chmodSync(home, 0o755)
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))

  async function run(file: string, args: string[]) {
    const { stdout, stderr } = await promisify(execFile)(file, args, { ...user, cwd: home })
    if (stderr !== '') throw new Error(`${file} printed a warning:\n${stdout}${stderr}`)
  }

  return {
    home,
    run,
    create: (binaries, name) => {
      const options = ['-U', 'passport', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
      return run(`${binaries}/initdb`, ['-D', name, ...options])
    },
    start: async (binaries, name) => {
      const settings = `-c listen_addresses='' -c unix_socket_directories='${home}' -c fsync=off`
      const control = (...args: string[]) => run(`${binaries}/pg_ctl`, [...args, '-w', '-D', name])
      await control('start', '-o', settings, '-l', `${name}.log`)
      let isRunning = true
      const stop = async (mode: string) => {
        if (isRunning) await control('stop', '-m', mode)
        isRunning = false
      }
      onTestFinished(() => stop('immediate'))
      return () => stop('fast')
    },
    makeReplica: (name, primaryDirectory) => {
      appendFileSync(
        join(home, name, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=${primaryDirectory} user=passport'\n`,
      )
      const signal = join(home, name, 'standby.signal')
      writeFileSync(signal, '')
      own(signal)
    },
  }
}

/** Debian's user of PostgreSQL if the tests run as root, which PostgreSQL refuses. */
function findPostgresUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid = 0, gid = 0] = ['-u', '-g'].map((option) => Number(spawnSync('id', [option, 'postgres']).stdout))
  return { uid, gid }
}
