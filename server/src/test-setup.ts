import { afterAll } from 'vitest'
import { runCleanups } from './test-cleanups.ts'
import { takeStatements } from './test-statements.ts'
import { takeDatabaseMs } from './test-times.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The milliseconds that the file waited for its databases and services, for `scripts/vitest-times.mjs`. */
    databaseMs?: number
    /** The statements that the file was the first of its worker to execute, for `scripts/statements.mjs`. */
    statements?: string[]
  }
}

// Test files share their worker's modules, so a hook that a shared module registers would run for the first file only.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names in the pattern
afterAll(async ({}, { file }) => {
  await runCleanups()
  file.meta.databaseMs = takeDatabaseMs()
  file.meta.statements = takeStatements()
})
