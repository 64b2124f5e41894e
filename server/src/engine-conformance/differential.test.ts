import { type World, worldArbitrary } from '@passport/permissions/conformance/arbitrary-permissions'
import { compareWorld, selectChecks, type Tally } from '@passport/permissions/conformance/compare'
import {
  differentialRegressions,
  standingDifferences,
} from '@passport/permissions/conformance/differential-regressions'
import { createMemoryEngine, type MemoryEngine } from '@passport/permissions/conformance/memory-engine'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { startBothGraphs } from './both-graphs.ts'
import { startSpiceDb } from './embedded-spicedb.ts'

/** Every run uses the same worlds unless `FC_SEED` is set: random ones would hit errors of SpiceDB. */
const { numRuns = 100, seed = 7 } = fc.readConfigureGlobal()
/** The minimum number of compared requests. */
const cases = numRuns * 6
const requestsPerWorld = 60
/** One in this many worlds is also compared with both graphs, in memory and in the database. */
const worldsPerGraphs = 4

let spiceDb: MemoryEngine
let graphs: MemoryEngine
beforeAll(async () => {
  spiceDb = await startSpiceDb()
  graphs = await startBothGraphs(await createTestDatabase())
})

test.each(differentialRegressions)('agrees with SpiceDB: $name', async ({ world }) => {
  const tally: Tally = { compared: 0, known: new Map() }
  await compareWorld(world, { spiceDb, core: createMemoryEngine(), graphs }, tally)
  expect(tally.compared).toBe(1 + world.relationships.length + world.requests.length + selectChecks(world).length)
  expect(tally.known).toEqual(new Map())
})

test.each(standingDifferences)('differs from SpiceDB: $name', async ({ world, reason }) => {
  const tally: Tally = { compared: 0, known: new Map() }
  await compareWorld(world, { spiceDb, core: createMemoryEngine(), graphs }, tally)
  expect([...tally.known.keys()]).toEqual([expect.stringMatching(reason)])
})

test(
  `agrees with SpiceDB on ${cases} requests (seed ${seed})`,
  async () => {
    const tally: Tally = { compared: 0, known: new Map() }
    let worlds = 0
    let hasFailed = false
    const compare = async (world: World) => {
      // A failing case is shrunk with all engines.
      if (tally.compared >= cases && !hasFailed) return
      const compared = worlds++ % worldsPerGraphs === 0 || hasFailed ? graphs : undefined
      try {
        await compareWorld(world, { spiceDb, core: createMemoryEngine(), graphs: compared }, tally)
      } catch (error) {
        // Shrinking may outlast the test.
        if (!hasFailed) console.error(error)
        hasFailed = true
        throw error
      }
    }
    await fc.assert(fc.asyncProperty(worldArbitrary(requestsPerWorld), compare), {
      numRuns: Math.ceil(cases / 30),
      seed,
    })
    expect(tally.compared).toBeGreaterThanOrEqual(cases)
    if (numRuns > 100) console.info(tally)
    // Known differences must stay rare, or the comparison proves nothing.
    const known = [...tally.known.values()].reduce((sum, count) => sum + count, 0)
    expect(known / tally.compared).toBeLessThan(0.05)
  },
  Math.max(90_000, cases * 60),
)
