import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = [
  process.env.CHROMIUM_PATH,
  // The same engine without windows: the tests take a third less of the processor.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The Chromium of this machine; installs Debian's where it may and there is none. Undefined, with a line that says what to do, otherwise. */
export function findBrowser() {
  const found = () => places.find((place) => place && existsSync(place))
  if (!found() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium for the tests in the browser …')
    spawnSync('sh', ['-c', 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium'], {
      stdio: 'ignore',
    })
  }
  if (!found())
    console.error(
      'No Chromium for the tests in the browser: install it (Debian: apt install chromium), or set CHROMIUM_PATH.',
    )
  return found()
}
