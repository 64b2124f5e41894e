import { openLoadedEngine } from '../permissions/test-engines.ts'
import { createTestDatabase } from '../test-service.ts'
import { describeConformance } from './conformance.ts'
import { createMemoryEngine } from './memory-engine.ts'

describeConformance('the core in memory', async () => createMemoryEngine(), { isEvaluatorAlone: true })

describeConformance('the engine in the database', async () => openLoadedEngine(await createTestDatabase()))
