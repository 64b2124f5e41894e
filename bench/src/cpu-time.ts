import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Returns the CPU time of a process in seconds, with a resolution of 10 ms. */
export function readCpuSeconds(pid: number): number {
  if (process.platform !== 'linux')
    return parsePsTime(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }))
  // The command name is in parentheses and may contain `)`, so fields are counted after the last one. `utime` and
  // `stime` are fields 14 and 15 (proc_pid_stat(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/**
 * Returns the CPU time of a process, of all processes that it has started, and of those of them that ended, in seconds.
 * Omits `without` and what that has started. Linux only.
 */
export function readTreeCpuSeconds(pid: number, without?: number): number {
  const fields = readOrEmpty(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  if (fields.length < 15) return 0
  // `utime`, `stime`, and those of the ended children (proc_pid_stat(5)).
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readOrEmpty(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  )
  return children
    .filter((child) => child !== without)
    .reduce((sum, child) => sum + readTreeCpuSeconds(child, without), own)
}

/** Returns the text of a file of a process; empty if the process has ended. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** USER_HZ: the unit of `utime` and `stime`, independent of the kernel's own tick rate. */
const ticksPerSecond = 100

/** Parses a time such as `1:02.34`; returns seconds. */
const parsePsTime = (text: string) =>
  text
    .trim()
    .split(':')
    .reduce((seconds, part) => seconds * 60 + Number(part), 0)

/** Returns the CPU time of this process since an earlier `process.cpuUsage()`, in seconds. */
export function readElapsedCpuSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
