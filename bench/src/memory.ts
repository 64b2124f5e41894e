import { execFileSync } from 'node:child_process'

/** Returns the resident memory of a process, in MB (of 1,048,576 bytes), from `ps`. */
export function readResidentMegabytes(pid: number): number {
  const kilobytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  return Math.round(kilobytes / 1024)
}
