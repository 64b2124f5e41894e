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
/** What failed, printed again at the end, where a shortened log still shows it. */
const failures = []
/** The SQL statements that the tests executed. */
let statements = []
const times = { totalSeconds: 0, steps: {}, phases: {}, files: {} }

const machineBefore = await measureMachine()
runStep('Format, lint and boundaries', () => runCheck('biome', ['check', '--error-on-warnings', '.']))
runStep('Types', () => runCheck('tsc', ['-b']))
runStep('Dead exports', () => runCheck('knip', []))
runStep('Language', () => runCheck('node', ['scripts/dialect.mjs']))
runStep('Units and HTTP', () => runVitest(['server', 'web', 'permissions', 'sign-in']))
runStep('Executed SQL', checkStatements)
runStep('Bundle size of the console', () => runCheck('node', ['scripts/budget.mjs']))
runStep('Bundle size of the sign-in client', () => runCheck('node', ['scripts/budget-sign-in.mjs']))
runStep('Browser', runPlaywright)
const machines = [machineBefore, await measureMachine()]
console.log('\n— Time')
const isSaved = process.argv.includes('--save-times')
if (!compareTimes(times, machines, { isSaved })) {
  total.failed++
  failures.push('Time')
}
// `npm run faults` alone kills the server 200 times while it meters.
if (process.argv.includes('--faults')) runStep('Faults', () => runVitest(['faults'], { METERING_KILLS: '30' }))

rmSync(results, { recursive: true, force: true })
if (failures.length > 0) console.log(`\n— Failed\n${failures.map((line) => `  ${line}`).join('\n')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

function runStep(title, work) {
  console.log(`\n— ${title}`)
  const startedAt = Date.now()
  const { passed, failed, failures: names = [], phases, files } = work()
  const seconds = (Date.now() - startedAt) / 1000
  total.passed += passed
  total.failed += failed
  if (failed > 0) failures.push(title, ...names.map((name) => `  ${name}`))
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

function runVitest(projects, env = {}) {
  const file = join(results, 'vitest.json')
  const timesFile = join(results, 'vitest-times.json')
  const selected = projects.flatMap((project) => ['--project', project])
  const reporters = ['--reporter=dot', '--reporter=json', '--reporter=./scripts/vitest-times.mjs']
  // No test should need the retry: the reporter names a test that does. Find out why.
  const isSuccess = run('vitest', ['run', '--retry=1', ...selected, ...reporters, `--outputFile.json=${file}`], {
    TIMES_FILE: timesFile,
    ...env,
  })
  return readResults(isSuccess, timesFile, () => {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  })
}

/** Fails if no test executes the SQL of a function: only the database checks the names and types in it. */
function checkStatements() {
  const { count, unexecuted } = findUnexecuted(statements)
  for (const name of unexecuted) console.log(`  no test executes the SQL of server/src/${name}`)
  const isComplete = count > 0 && unexecuted.length === 0
  return isComplete ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function runPlaywright() {
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

/**
 * Reads the results of a test runner. A runner that fails without a failed test, or runs no test, counts as one
 * failure.
 */
function readResults(isSuccess, timesFile, read) {
  try {
    const { passed, failed } = read()
    const { files, phases, failures, statements: executed } = JSON.parse(readFileSync(timesFile, 'utf8'))
    statements = executed ?? statements
    return {
      passed,
      failed: isSuccess && passed > 0 ? failed : Math.max(failed, 1),
      failures,
      files: toSeconds(files),
      phases: toSeconds(phases),
    }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function toSeconds(milliseconds) {
  return Object.fromEntries(Object.entries(milliseconds).map(([name, ms]) => [name, ms / 1000]))
}
