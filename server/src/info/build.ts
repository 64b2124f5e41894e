import { readFileSync } from 'node:fs'

interface Build {
  version: string
  commit: string | null
  buildTime: string | null
}

const root = new URL('../../../', import.meta.url)

/** The version of the package, and the commit with its time where this runs from a checkout. */
export function readBuild(): Build {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  return { version, ...readCommit() }
}

/** Read from git's own files rather than by running git, which a server need not have. */
function readCommit(): Pick<Build, 'commit' | 'buildTime'> {
  try {
    const head = readFileSync(new URL('.git/HEAD', root), 'utf8').trim()
    const commit = head.startsWith('ref: ') ? readRef(head.slice(5)) : head
    const log = readFileSync(new URL('.git/logs/HEAD', root), 'utf8').trim().split('\n').at(-1) ?? ''
    const seconds = Number(/> (\d+) /.exec(log)?.[1])
    return { commit, buildTime: seconds ? new Date(seconds * 1000).toISOString() : null }
  } catch {
    return { commit: null, buildTime: null }
  }
}

function readRef(name: string): string | null {
  try {
    return readFileSync(new URL(`.git/${name}`, root), 'utf8').trim()
  } catch {
    const packed = readFileSync(new URL('.git/packed-refs', root), 'utf8')
    return (
      packed
        .split('\n')
        .find((line) => line.endsWith(` ${name}`))
        ?.split(' ')[0] ?? null
    )
  }
}
