// Runs every check and every test; ends with the line `N passed, N failed`.
// --faults adds `npm run faults`. --save-times writes the times of the run to test-times.json instead of comparing
// them.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBrowser } from './browser.mjs'
import { findUnexecuted } from './statements.mjs'
import { compareTimes, measureMachine } from './times.mjs'

const results = mkdtempSync(join(tmpdir(), 'passport-results-'))
const total = { passed: 0, failed: 0 }
/** The SQL statements that the tests executed. */
let statements = []
const times = { totalSeconds: 0, steps: {}, phases: {}, files: {} }

const machineBefore = await measureMachine()
step('Format, lint and boundaries', () => runCheck('biome', ['check', '--error-on-warnings', '.']))
step('Types', () => runCheck('tsc', ['-b']))
step('Dead exports', () => runCheck('knip', []))
step('Language', () => runCheck('node', ['scripts/dialect.mjs']))
step('Units and HTTP', () => vitest(['server', 'web', 'permissions', 'sign-in']))
step('Executed SQL', checkStatements)
step('Bundle size of the console', () => runCheck('node', ['scripts/budget.mjs']))
step('Bundle size of the sign-in client', () => runCheck('node', ['scripts/budget-sign-in.mjs']))
step('Browser', playwright)
const machines = [machineBefore, await measureMachine()]
console.log('\n— Time')
const isSaved = process.argv.includes('--save-times')
if (!compareTimes(times, machines, { isSaved })) total.failed++
if (process.argv.includes('--faults')) step('Faults', () => vitest(['faults']))

rmSync(results, { recursive: true, force: true })
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

function step(title, work) {
  console.log(`\n— ${title}`)
  const startedAt = Date.now()
  const { passed, failed, phases, files } = work()
  const seconds = (Date.now() - startedAt) / 1000
  total.passed += passed
  total.failed += failed
  times.totalSeconds += seconds
  times.steps[title] = seconds
  if (phases) times.phases[title] = phases
  Object.assign(times.files, files)
  console.log(`  ${passed} passed, ${failed} failed, ${seconds.toFixed(0)} s`)
}

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return status === 0
}

function runCheck(command, args) {
  return run(command, args) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function vitest(projects) {
  const file = join(results, 'vitest.json')
  const timesFile = join(results, 'vitest-times.json')
  const selected = projects.flatMap((project) => ['--project', project])
  const reporters = ['--reporter=dot', '--reporter=json', '--reporter=./scripts/vitest-times.mjs']
  // No test should need the retry: the reporter names a test that does. Find out why.
  const isSuccess = run('vitest', ['run', '--retry=1', ...selected, ...reporters, `--outputFile.json=${file}`], {
    TIMES_FILE: timesFile,
  })
  return readResults(isSuccess, timesFile, () => {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  })
}

/** Each function with SQL must be reached by some test: the database has then checked its names and types. */
function checkStatements() {
  const { count, unexecuted } = findUnexecuted(statements)
  for (const name of unexecuted) console.log(`  the SQL of server/src/${name} is executed by no test`)
  const isComplete = count > 0 && unexecuted.length === 0
  return isComplete ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function playwright() {
  const browser = ensureBrowser()
  if (!browser) return { passed: 0, failed: 1 }
  const file = join(results, 'playwright.json')
  const timesFile = join(results, 'playwright-times.json')
  const isSuccess = run('playwright', ['test', '-c', 'e2e', '--reporter=dot,json,./scripts/playwright-times.mjs'], {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    TIMES_FILE: timesFile,
  })
  return readResults(isSuccess, timesFile, () => {
    const { stats } = JSON.parse(readFileSync(file, 'utf8'))
    if (stats.flaky > 0) console.log(`  ${stats.flaky} passed only on the second attempt`)
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected }
  })
}

/** A runner that failed without a failing test, or ran none, counts as one failure. */
function readResults(isSuccess, timesFile, read) {
  try {
    const { passed, failed } = read()
    const { files, phases, statements: executed } = JSON.parse(readFileSync(timesFile, 'utf8'))
    statements = executed ?? statements
    return {
      passed,
      failed: isSuccess && passed > 0 ? failed : Math.max(failed, 1),
      files: inSeconds(files),
      phases: inSeconds(phases),
    }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function inSeconds(milliseconds) {
  return Object.fromEntries(Object.entries(milliseconds).map(([name, ms]) => [name, ms / 1000]))
}
