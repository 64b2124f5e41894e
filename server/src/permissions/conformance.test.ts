import { describeConformance } from './conformance.ts'
import { createMemoryEngine } from './memory-engine.ts'

describeConformance('the core in memory', async () => createMemoryEngine(), { isEvaluatorAlone: true })
