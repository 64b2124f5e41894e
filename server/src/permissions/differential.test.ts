import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { worldArbitrary } from './arbitrary-permissions.ts'
import { compareWorld, type Tally } from './compare.ts'
import { differentialRegressions } from './differential-regressions.ts'
import { startSpiceDb } from './embedded-spicedb.ts'
import { createMemoryEngine, type MemoryEngine } from './memory-engine.ts'

/** How many questions and writes are compared; `PERMISSION_CASES` asks for more. */
const cases = Number(process.env['PERMISSION_CASES'] ?? 2000)
const questionsPerWorld = 60

let spiceDb: MemoryEngine
beforeAll(async () => {
  spiceDb = await startSpiceDb()
})

test.each(differentialRegressions)('as SpiceDB: $name', async ({ world }) => {
  const tally: Tally = { compared: 0, known: new Map() }
  await compareWorld(world, spiceDb, createMemoryEngine(), tally)
  expect(tally.compared).toBe(1 + world.relationships.length + world.questions.length)
  expect(tally.known).toEqual(new Map())
})

test(
  `answers ${cases} questions as SpiceDB does`,
  async () => {
    const tally: Tally = { compared: 0, known: new Map() }
    const property = fc.asyncProperty(worldArbitrary(questionsPerWorld), async (world) => {
      if (tally.compared < cases * 2) await compareWorld(world, spiceDb, createMemoryEngine(), tally)
    })
    await fc.assert(property, { numRuns: Math.ceil(cases / 30) })
    expect(tally.compared).toBeGreaterThanOrEqual(cases)
    if (process.env['PERMISSION_CASES']) console.info(tally)
    // Differences that are known must stay rare, or the comparison says nothing.
    const known = [...tally.known.values()].reduce((sum, count) => sum + count, 0)
    expect(known / tally.compared).toBeLessThan(0.05)
  },
  Math.max(90_000, cases * 45),
)
