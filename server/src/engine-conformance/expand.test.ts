import { type World, worldArbitrary } from '@passport/permissions/conformance/arbitrary-permissions'
import { evaluate, isSame } from '@passport/permissions/conformance/evaluate'
import { createMemoryEngine } from '@passport/permissions/conformance/memory-engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { startBothGraphs } from './both-graphs.ts'
import { startSpiceDb } from './embedded-spicedb.ts'

/** Every run uses the same worlds unless `FC_SEED` is set. */
const { numRuns = 100, seed = 7 } = fc.readConfigureGlobal()

test(`expands random permissions like SpiceDB (seed ${seed})`, { timeout: 90_000 }, async () => {
  const spiceDb = await startSpiceDb()
  const graphs = await startBothGraphs(await createTestDatabase())
  let trees = 0
  const compare = async ({ schema, relationships, requests }: World) => {
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
      for (const engine of all) await evaluate(engine, { kind: 'write', relationship }, 1)
    const checks = requests.flatMap((request) => (request.kind === 'check' ? [request] : []))
    const expansions = new Map(
      checks.map(({ resource, permission }) => [`${resource}#${permission}`, { resource, permission }]),
    )
    for (const request of [...expansions.values()].map((expansion) => ({ kind: 'expand' as const, ...expansion }))) {
      const [ours, theirs] = [await evaluate(core, request, 1), await evaluate(spiceDb, request, 1)]
      for (const result of [theirs, await evaluate(graphs, request, 1)])
        if (!isSame(result, ours)) expect({ schema, relationships, request, ours }).toEqual({ ours: result })
      if ('is' in ours) trees++
    }
  }
  await fc.assert(fc.asyncProperty(worldArbitrary(20), compare), { numRuns: numRuns / 20, seed, endOnFailure: true })
  expect(trees).toBeGreaterThan(numRuns / 4)
})
