import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The processor time that a process has used, in seconds, to a hundredth. */
export function coreSeconds(pid: number): number {
  if (process.platform !== 'linux')
    return ofPs(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }))
  // After the name, which may hold anything but ends with the last bracket: proc_pid_stat(5), utime and stime.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** USER_HZ, whatever the kernel itself counts in. */
const ticksPerSecond = 100

/** `1:02.34` */
const ofPs = (text: string) =>
  text
    .trim()
    .split(':')
    .reduce((seconds, part) => seconds * 60 + Number(part), 0)
