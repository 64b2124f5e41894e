import { afterAll } from 'vitest'
import { runEndings } from './test-endings.ts'

// Test files share their worker's modules, so a hook that a shared module registers would run for the first file only.
afterAll(runEndings)
