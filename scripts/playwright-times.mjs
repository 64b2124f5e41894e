// A Playwright reporter: writes the seconds of each file and of each phase, and the failures, to the file that TIMES_FILE
// names.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** Returns the phase of a step, or undefined for the rest of a test. */
function phaseOf({ category, title }) {
  if (category === 'test.step' && title === 'axe') return 'axe'
  if (category === 'fixture' && /browser/.test(title)) return 'browser start'
  if (category === 'fixture' && /passport|site|op/.test(title)) return 'server start'
  if (category === 'pw:api' && /^(?:Navigate|Reload|Go back|page\.(?:goto|reload|goBack))/i.test(title))
    return 'page loads'
  return undefined
}

export default class PlaywrightTimes {
  files = {}
  phases = { 'browser start': 0, 'server start': 0, 'page loads': 0, axe: 0 }
  totalMs = 0
  failures = []

  onStepEnd(_test, _result, step) {
    const phase = phaseOf(step)
    if (phase) this.phases[phase] += step.duration
  }

  onTestEnd(test, { duration, retry, error }) {
    const path = relative(process.cwd(), test.location.file)
    if (test.outcome() === 'unexpected' && retry === test.retries)
      this.failures.push(`${path} > ${test.title}: ${stripVTControlCharacters(error?.message ?? '').split('\n')[0]}`)
    this.files[path] = (this.files[path] ?? 0) + duration
    this.totalMs += duration
  }

  onEnd() {
    const measuredMs = Object.values(this.phases).reduce((sum, ms) => sum + ms, 0)
    const phases = { ...this.phases, tests: this.totalMs - measuredMs }
    writeFileSync(process.env.TIMES_FILE, JSON.stringify({ files: this.files, phases, failures: this.failures }))
  }

  printsToStdio() {
    return false
  }
}
