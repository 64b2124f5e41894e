import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

interface Build {
  version: string
  commit: string | null
  /** When the commit was made, ISO 8601. */
  buildTime: string | null
}

const root = new URL('../../../', import.meta.url)

/** The version of the package. */
export const readVersion = (): string => JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version

/** The version of the package, and the commit with its time where this runs from a checkout and git is there. */
export async function readBuild(): Promise<Build> {
  return { version: readVersion(), ...(await readCommit()) }
}

/** Asks for the repository of this directory alone: one around it is of something else. */
async function readCommit(): Promise<Pick<Build, 'commit' | 'buildTime'>> {
  try {
    const repository = `--git-dir=${fileURLToPath(new URL('.git', root))}`
    const { stdout } = await promisify(execFile)('git', [repository, 'log', '-1', '--format=%H %cI'])
    const [commit = '', at = ''] = stdout.trim().split(' ')
    return { commit, buildTime: new Date(at).toISOString() }
  } catch {
    return { commit: null, buildTime: null }
  }
}
