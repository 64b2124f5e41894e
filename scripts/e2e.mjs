// `npm run e2e`: the browser tests, with any Playwright options.
// `npm run e2e -- all`: every page in every width and theme, each with its own page load and all axe rules.
import { spawnSync } from 'node:child_process'
import { ensureBrowser } from './browser.mjs'

const [first, ...others] = process.argv.slice(2)
const isAll = first === 'all'
const args = isAll ? ['pages', ...others] : process.argv.slice(2)
const browser = ensureBrowser()
if (!browser) process.exit(1)
const { status } = spawnSync('playwright', ['test', '-c', 'e2e', ...args], {
  stdio: 'inherit',
  env: { ...process.env, CHROMIUM_PATH: browser, ...(isAll && { E2E: 'all' }) },
})
process.exitCode = status ?? 1
