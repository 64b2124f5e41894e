import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

interface Build {
  version: string
  commit: string | null
  /** ISO 8601. */
  commitTime: string | null
}

const root = new URL('../../../', import.meta.url)

/** Reads the version of the package. */
export const readVersion = (): string => JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version

/** Reads the version of the package, and the commit with its time if this is a checkout and git is installed. */
export async function readBuild(): Promise<Build> {
  return { version: readVersion(), ...(await readCommit()) }
}

/**
 * Reads the last commit; null without one. Names the git directory: git would search parent directories for another.
 */
async function readCommit(): Promise<Pick<Build, 'commit' | 'commitTime'>> {
  try {
    const repository = `--git-dir=${fileURLToPath(new URL('.git', root))}`
    const { stdout } = await promisify(execFile)('git', [repository, 'log', '-1', '--format=%H %cI'])
    const [commit = '', time = ''] = stdout.trim().split(' ')
    return { commit, commitTime: new Date(time).toISOString() }
  } catch {
    return { commit: null, commitTime: null }
  }
}
