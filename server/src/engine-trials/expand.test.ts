import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { type World, worldArbitrary } from './arbitrary-permissions.ts'
import { ask } from './ask.ts'
import { startBothGraphs } from './both-graphs.ts'
import { startSpiceDb } from './embedded-spicedb.ts'
import { createMemoryEngine } from './memory-engine.ts'
import { isSame } from './same-answer.ts'

/** The same worlds in every run unless `FC_SEED` asks for others. */
const { numRuns = 100, seed = 7 } = fc.readConfigureGlobal()

test(`trees of random permissions are those of SpiceDB (seed ${seed})`, { timeout: 90_000 }, async () => {
  const spiceDb = await startSpiceDb()
  const graphs = await startBothGraphs(await createTestDatabase())
  let trees = 0
  const compare = async ({ schema, relationships, questions }: World) => {
    for (const resourceType of ['document', 'folder', 'group'])
      for (const engine of [spiceDb, graphs]) await engine.deleteRelationships({ resourceType }).catch(() => {})
    const core = createMemoryEngine()
    const all = [core, graphs, spiceDb]
    const isWritten = async (engine: typeof core) =>
      engine.writeSchema(schema).then(
        () => true,
        () => false,
      )
    for (const engine of all) if (!(await isWritten(engine))) return
    for (const relationship of relationships)
      for (const engine of all) await ask(engine, { ask: 'write', relationship }, 1)
    const checks = questions.flatMap((question) => (question.ask === 'check' ? [question] : []))
    const asked = new Map(
      checks.map(({ resource, permission }) => [`${resource}#${permission}`, { resource, permission }]),
    )
    for (const question of [...asked.values()].map((one) => ({ ask: 'expand' as const, ...one }))) {
      const [ours, theirs] = [await ask(core, question, 1), await ask(spiceDb, question, 1)]
      for (const answer of [theirs, await ask(graphs, question, 1)])
        if (!isSame(answer, ours)) expect({ schema, relationships, question, ours }).toEqual({ ours: answer })
      if ('is' in ours) trees++
    }
  }
  await fc.assert(fc.asyncProperty(worldArbitrary(20), compare), { numRuns: numRuns / 20, seed, endOnFailure: true })
  expect(trees).toBeGreaterThan(numRuns / 4)
})
