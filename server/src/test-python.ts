import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The directory of a program for `npm run interop`, with its `requirements.txt`. */
export const interopSource = (name: string): string => join(root, 'e2e/interop', name)

/**
 * Installs the packages that a program requires, once and again when their versions change. Returns the directory of their
 * commands, `python` among them.
 */
export function installPython(name: string): string {
  const directory = join(root, 'node_modules/.cache/interop', name)
  const [python, stamp] = [join(directory, 'python'), join(directory, '.installed')]
  const requirements = join(interopSource(name), 'requirements.txt')
  const wanted = readFileSync(requirements, 'utf8')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    mkdirSync(directory, { recursive: true })
    execFileSync('python3', ['-m', 'venv', python])
    execFileSync(join(python, 'bin/pip'), ['install', '--quiet', '-r', requirements])
    writeFileSync(stamp, wanted)
  }
  return join(python, 'bin')
}
