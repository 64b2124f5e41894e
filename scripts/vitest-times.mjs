// A Vitest reporter: writes the seconds of each file and of each phase, the failures and the executed SQL statements to
// the file that TIMES_FILE names, and prints the tests that passed only on the second attempt.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class VitestTimes {
  onTestRunEnd(modules, unhandledErrors) {
    const files = {}
    const failures = unhandledErrors.map(({ message }) => `unhandled: ${firstLine(message)}`)
    const statements = new Set()
    const phases = { environment: 0, import: 0, setup: 0, database: 0, tests: 0 }
    // Files that share a worker report the one environment of that worker.
    const environments = new Set(modules.map((module) => module.diagnostic().environmentSetupDuration))
    phases.environment = [...environments].reduce((sum, ms) => sum + ms, 0)
    for (const module of modules) {
      const diagnostic = module.diagnostic()
      const { databaseMs = 0, statements: executed = [] } = module.meta()
      for (const statement of executed) statements.add(statement)
      phases.import += diagnostic.collectDuration
      phases.setup += diagnostic.setupDuration
      phases.database += databaseMs
      phases.tests += diagnostic.duration - databaseMs
      const path = relative(process.cwd(), module.moduleId)
      failures.push(...module.errors().map(({ message }) => `${path}: ${firstLine(message)}`))
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky) console.log(`  passed only on the second attempt: ${path} > ${test.fullName}`)
        const { state, errors } = test.result()
        if (state === 'failed') failures.push(`${path} > ${test.fullName}: ${firstLine(errors[0]?.message)}`)
      }
      files[path] = diagnostic.collectDuration + diagnostic.setupDuration + diagnostic.duration
    }
    writeFileSync(process.env.TIMES_FILE, JSON.stringify({ files, phases, failures, statements: [...statements] }))
  }
}

const firstLine = (message = '') => message.split('\n')[0]
