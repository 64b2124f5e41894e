import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { type World, worldArbitrary } from './arbitrary-permissions.ts'
import { startBothGraphs } from './both-graphs.ts'
import { checksOf, compareWorld, type Tally } from './compare.ts'
import { differentialRegressions, standingDifferences } from './differential-regressions.ts'
import { startSpiceDb } from './embedded-spicedb.ts'
import { createMemoryEngine, type MemoryEngine } from './memory-engine.ts'

/** The same worlds in every run unless `FC_SEED` asks for others: SpiceDB has faults that chance would find. */
const { numRuns = 100, seed = 7 } = fc.readConfigureGlobal()
/** How many questions and writes are compared at least. */
const cases = numRuns * 6
const questionsPerWorld = 60
/** The graphs in memory and in the database are asked about one world of so many. */
const worldsPerGraphs = 4

let spiceDb: MemoryEngine
let graphs: MemoryEngine
beforeAll(async () => {
  spiceDb = await startSpiceDb()
  graphs = await startBothGraphs(await createTestDatabase())
})

test.each(differentialRegressions)('as SpiceDB: $name', async ({ world }) => {
  const tally: Tally = { compared: 0, known: new Map() }
  await compareWorld(world, { spiceDb, core: createMemoryEngine(), graphs }, tally)
  expect(tally.compared).toBe(1 + world.relationships.length + world.questions.length + checksOf(world).length)
  expect(tally.known).toEqual(new Map())
})

test.each(standingDifferences)('other than SpiceDB: $name', async ({ world, reason }) => {
  const tally: Tally = { compared: 0, known: new Map() }
  await compareWorld(world, { spiceDb, core: createMemoryEngine(), graphs }, tally)
  expect([...tally.known.keys()]).toEqual([expect.stringMatching(reason)])
})

test(
  `answers ${cases} questions as SpiceDB does (seed ${seed})`,
  async () => {
    const tally: Tally = { compared: 0, known: new Map() }
    let worlds = 0
    let hasFailed = false
    const compare = async (world: World) => {
      // A case that fails is shrunk with all engines.
      if (tally.compared >= cases && !hasFailed) return
      const asked = worlds++ % worldsPerGraphs === 0 || hasFailed ? graphs : undefined
      try {
        await compareWorld(world, { spiceDb, core: createMemoryEngine(), graphs: asked }, tally)
      } catch (error) {
        // Shrinking may outlast the test.
        if (!hasFailed) console.error(error)
        hasFailed = true
        throw error
      }
    }
    await fc.assert(fc.asyncProperty(worldArbitrary(questionsPerWorld), compare), {
      numRuns: Math.ceil(cases / 30),
      seed,
    })
    expect(tally.compared).toBeGreaterThanOrEqual(cases)
    if (numRuns > 100) console.info(tally)
    // Differences that are known must stay rare, or the comparison says nothing.
    const known = [...tally.known.values()].reduce((sum, count) => sum + count, 0)
    expect(known / tally.compared).toBeLessThan(0.05)
  },
  Math.max(90_000, cases * 60),
)
