import { describeConformance } from '@passport/permissions/conformance/conformance'
import { createMemoryEngine } from '@passport/permissions/conformance/memory-engine'
import { openLoadedEngine } from '../permissions/test-engines.ts'
import { createTestDatabase } from '../test-service.ts'

describeConformance('the core in memory', async () => createMemoryEngine(), { isEvaluatorAlone: true })

describeConformance('the engine in the database', async () => openLoadedEngine(await createTestDatabase()))
