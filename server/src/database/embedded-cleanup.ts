import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const fastShutdownMs = 8_000

/**
 * Cleans up after a killed server, so that a new PostgreSQL can start on its tables. Ends a surviving postmaster, and
 * backends that wait endlessly for a lock of a killed one. Removes the pid files of a dead postmaster, which PostgreSQL
 * would respect while the process is a zombie or its process id is reused.
 */
export async function cleanUpAfterCrash(tables: string, sockets: string): Promise<void> {
  const pidFile = join(tables, 'postmaster.pid')
  if (existsSync(pidFile)) {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    if (isAlive(pid) && (process.platform !== 'linux' || findProcesses(tables).includes(pid))) {
      await endPostmaster(pid, tables)
    }
  }
  await endStragglers(tables)
  for (const file of [pidFile, join(sockets, '.s.PGSQL.5432'), join(sockets, '.s.PGSQL.5432.lock')])
    rmSync(file, { force: true })
}

/** Requests a fast shutdown, and kills PostgreSQL after a timeout; resolves when no process is left on the tables. */
export async function endPostmaster(pid: number, tables: string): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', fastShutdownMs],
    ['SIGQUIT', 1000],
    ['SIGKILL', 1000],
  ] as const) {
    if (!isAlive(pid)) break
    send(pid, signal)
    await waitUntil(() => !isAlive(pid), timeoutMs)
  }
  await endStragglers(tables)
}

async function endStragglers(tables: string) {
  for (const pid of findProcesses(tables)) send(pid, 'SIGKILL')
  await waitUntil(() => findProcesses(tables).length === 0, 2000)
}

/** Reports whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false
  }
  return readState(pid) !== 'Z'
}

function readState(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2]
  } catch {
    return undefined
  }
}

/** Lists the running processes in a directory: every PostgreSQL process has its tables as working directory. */
function findProcesses(directory: string): number[] {
  if (process.platform !== 'linux') return []
  if (!existsSync(directory)) return []
  const realDirectory = realpathSync(directory)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => readWorkingDirectory(pid) === realDirectory && isAlive(pid))
}

function readWorkingDirectory(pid: number): string | undefined {
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
    // The process has already ended.
  }
}

async function waitUntil(condition: () => boolean, timeoutMs: number) {
  for (const startedAt = Date.now(); !condition() && Date.now() - startedAt < timeoutMs; ) await delay(10)
}
