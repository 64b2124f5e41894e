import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Returns the processor time of a process, in seconds, to a hundredth. */
export function readCoreSeconds(pid: number): number {
  if (process.platform !== 'linux')
    return parsePsTime(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }))
  // Fields after the name, which may hold anything but ends with the last bracket: proc_pid_stat(5), utime and stime.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** USER_HZ, independent of the kernel's own tick rate. */
const ticksPerSecond = 100

/** Parses a time such as `1:02.34`; returns seconds. */
const parsePsTime = (text: string) =>
  text
    .trim()
    .split(':')
    .reduce((seconds, part) => seconds * 60 + Number(part), 0)
