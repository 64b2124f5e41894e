// Every check and every test, one after the other; ends with the line `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from './browser.mjs'

const results = mkdtempSync(join(tmpdir(), 'passport-results-'))
const total = { passed: 0, failed: 0 }

step('Format, lint and walls', () => checkOf('biome', ['check', '--error-on-warnings', '.']))
step('Types', () => checkOf('tsc', ['-b']))
step('Dead exports', () => checkOf('knip', []))
step('Server, contract and parts of the app', vitest)
step('What the parts of the app cost', () => checkOf('node', ['scripts/budget.mjs']))
step('What the sign-in client costs', () => checkOf('node', ['scripts/budget-sign-in.mjs']))
step('The whole in a browser', playwright)

rmSync(results, { recursive: true, force: true })
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

function step(title, work) {
  console.log(`\n— ${title}`)
  const since = Date.now()
  const { passed, failed } = work()
  total.passed += passed
  total.failed += failed
  console.log(`  ${passed} passed, ${failed} failed, ${((Date.now() - since) / 1000).toFixed(0)} s`)
}

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return status === 0
}

function checkOf(command, args) {
  return run(command, args) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function vitest() {
  const file = join(results, 'vitest.json')
  const isGood = run('vitest', ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`])
  return counted(isGood, () => {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  })
}

function playwright() {
  const browser = findBrowser()
  if (!browser) return { passed: 0, failed: 1 }
  const file = join(results, 'playwright.json')
  const isGood = run('playwright', ['test', '-c', 'e2e', '--reporter=dot,json'], {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  })
  return counted(isGood, () => {
    const { stats } = JSON.parse(readFileSync(file, 'utf8'))
    if (stats.flaky > 0) console.log(`  ${stats.flaky} passed only at the second try`)
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected }
  })
}

/** A runner that failed without a failing test, or without any, has failed all the same. */
function counted(isGood, read) {
  try {
    const { passed, failed } = read()
    return { passed, failed: isGood && passed > 0 ? failed : Math.max(failed, 1) }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
