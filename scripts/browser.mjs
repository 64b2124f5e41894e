import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const candidates = [
  process.env.CHROMIUM_PATH,
  // Headless build of the same engine: the tests use a third less CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Returns the path of an installed Chromium. If there is none and the process runs as root on Debian, installs it. If
 * it is still missing, prints instructions and returns undefined.
 */
export function ensureBrowser() {
  const findCandidate = () => candidates.find((candidate) => candidate && existsSync(candidate))
  if (!findCandidate() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium for the browser tests…')
    spawnSync('sh', ['-c', 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium'], {
      stdio: 'ignore',
    })
  }
  if (!findCandidate())
    console.error(
      'Chromium not found; the browser tests need it. Install it (Debian: apt install chromium), or set CHROMIUM_PATH.',
    )
  return findCandidate()
}
