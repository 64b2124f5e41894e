import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runServer } from '@passport/world/process'
import postgres from 'postgres'
import { createDataDir, stop } from '../server.ts'

/** A running PostgreSQL. */
export interface Database {
  pid: number
  sql: postgres.Sql
  /** Returns the number of statements, with `begin` and `commit`, that clients execute during some work. */
  countStatements: (work: () => Promise<void>) => Promise<number>
  /** Updates the statistics of all databases, as PostgreSQL does within minutes after many writes. */
  analyze: () => Promise<void>
}

/** Connects to the embedded PostgreSQL of a running server. */
export function connectToEmbedded(dataDir: string): Database {
  const home = join(dataDir, 'postgres')
  return connect(home, { path: join(home, 'sockets/.s.PGSQL.5432') })
}

function connect(home: string, address: { path: string } | { host: string; port: number }): Database {
  // A superuser, which may change settings of the server.
  const open = (database: string) => postgres({ ...address, user: 'postgres', database, max: 1, onnotice: () => {} })
  const sql = open('passport')
  const configure = async (level: string) => {
    await sql.unsafe(`alter system set log_statement = '${level}'`)
    await sql`select pg_reload_conf()`
    // The postmaster notifies its processes, which read the setting before their next statement.
    await delay(300)
  }
  return {
    pid: readPostmasterPid(home),
    sql,
    analyze: async () => {
      const databases = await sql<{ name: string }[]>`select datname as name from pg_database where datallowconn`
      for (const { name } of databases) {
        const own = open(name)
        await own`analyze`
        await own.end()
      }
    },
    countStatements: async (work) => {
      await configure('all')
      const log = join(home, 'log')
      const before = statSync(log).size
      await work()
      const lines = readFileSync(log).subarray(before).toString().split('\n')
      await configure('none')
      return lines.filter((line) => /LOG: {2}(?:statement|execute [^:]*): /.test(line)).length
    },
  }
}

const readPostmasterPid = (home: string) =>
  Number(readFileSync(join(home, 'tables/postmaster.pid'), 'utf8').split('\n')[0])

export interface PeerDatabase extends Database {
  port: number
  stop: () => Promise<void>
}

/** Starts an empty PostgreSQL with the same program and settings as the embedded one, but on a port. */
export async function startPeerDatabase(): Promise<PeerDatabase> {
  const dataDir = createDataDir()
  const home = join(dataDir, 'postgres')
  const server = await runServer({ DATA_DIR: dataDir })
  const commandLine = readFileSync(`/proc/${readPostmasterPid(home)}/cmdline`, 'utf8')
    .split('\0')
    .slice(0, -1)
  await stop(server)
  const [program = '', ...args] = commandLine
  const port = await findFreePort()
  const tables = join(home, 'tables')
  const { uid, gid } = statSync(tables)
  const log = openSync(join(home, 'log'), 'a')
  const address = ['-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`]
  const child = spawn(program, [...args, ...address], {
    ...(process.getuid?.() === 0 && { uid, gid }),
    env: { LANG: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    cwd: '/',
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const exited = once(child, 'exit')
  while (!isReady(tables)) {
    if (child.exitCode !== null) throw new Error(readFileSync(join(home, 'log'), 'utf8').slice(-2000))
    await delay(20)
  }
  const admin = connect(home, { host: '127.0.0.1', port })
  // Neither tables nor data of Passport.
  const own = postgres({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: 1 })
  await own`create database peer owner passport`
  await own.end()
  return {
    ...admin,
    port,
    stop: async () => {
      await admin.sql.end({ timeout: 1 })
      // A fast shutdown.
      child.kill('SIGINT')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function isReady(tables: string): boolean {
  try {
    return readFileSync(join(tables, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
