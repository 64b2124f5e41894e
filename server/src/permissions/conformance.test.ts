import { createTestDatabase } from '../test-service.ts'
import { describeConformance } from './conformance.ts'
import { createMemoryEngine } from './memory-engine.ts'
import { engineOn } from './test-engines.ts'

describeConformance('the core in memory', async () => createMemoryEngine(), { isEvaluatorAlone: true })

describeConformance('the engine in the database', async () => engineOn(await createTestDatabase()))
