import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const fastShutdownMs = 8_000

/**
 * Ends whatever a killed server left on a directory of tables, so that a new PostgreSQL can start on them:
 * a postmaster that lives on, backends that wait for ever on a lock of a killed one, the pid files of a dead postmaster
 * (which PostgreSQL itself would respect while the process is a zombie, or while its number is in use by another).
 */
export async function removeRemains(tables: string, sockets: string): Promise<void> {
  const pidFile = join(tables, 'postmaster.pid')
  if (existsSync(pidFile)) {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    if (isAlive(pid) && (process.platform !== 'linux' || processesIn(tables).includes(pid))) {
      await endPostmaster(pid, tables)
    }
  }
  await endStragglers(tables)
  for (const file of [pidFile, join(sockets, '.s.PGSQL.5432'), join(sockets, '.s.PGSQL.5432.lock')])
    rmSync(file, { force: true })
}

/** Fast shutdown, and by force when that takes too long; returns when no process is left on the tables. */
export async function endPostmaster(pid: number, tables: string): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', fastShutdownMs],
    ['SIGQUIT', 1000],
    ['SIGKILL', 1000],
  ] as const) {
    if (!isAlive(pid)) break
    send(pid, signal)
    await until(() => !isAlive(pid), patienceMs)
  }
  await endStragglers(tables)
}

async function endStragglers(tables: string) {
  for (const pid of processesIn(tables)) send(pid, 'SIGKILL')
  await until(() => processesIn(tables).length === 0, 2000)
}

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false
  }
  return stateOf(pid) !== 'Z'
}

function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2]
  } catch {
    return undefined
  }
}

/** The living processes that work in a directory: every process of PostgreSQL has its tables as working directory. */
function processesIn(directory: string): number[] {
  if (process.platform !== 'linux') return []
  if (!existsSync(directory)) return []
  const there = realpathSync(directory)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => workingDirectoryOf(pid) === there && isAlive(pid))
}

function workingDirectoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function send(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself meanwhile.
  }
}

async function until(condition: () => boolean, patienceMs: number) {
  for (const since = Date.now(); !condition() && Date.now() - since < patienceMs; ) await delay(10)
}
