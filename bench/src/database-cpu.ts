import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTreeCpuSeconds } from './cpu-time.ts'

/** Returns the CPU time of the embedded PostgreSQL, with all its processes. */
export function readDatabaseCpuSeconds(home: string): number {
  const [pid = ''] = readFileSync(join(home, 'tables/postmaster.pid'), 'utf8').split('\n')
  return readTreeCpuSeconds(Number(pid))
}
