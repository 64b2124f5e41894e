import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileCaveat } from './caveat.ts'
import { PermissionFault } from './fault.ts'
import { knownCases } from './test-caveat-cases.ts'
import { type CaveatCase, caveatCases, declare } from './test-caveats.ts'
import { SpiceDbCaveats } from './test-spicedb-caveats.ts'

/** The same caveats in every run unless `FC_SEED` asks for others: SpiceDB has faults that chance would find. */
const { numRuns = 100, seed = 7 } = fc.readConfigureGlobal()

let spicedb: SpiceDbCaveats
beforeAll(async () => {
  spicedb = await SpiceDbCaveats.start()
})
afterAll(() => spicedb.close())

function answer({ parameters, expression, context }: CaveatCase): string {
  try {
    const { result, missing } = compileCaveat(declare(parameters, expression)).evaluate(context)
    return result === 'missing' ? `missing ${missing}` : result
  } catch (error) {
    if (!(error instanceof PermissionFault)) throw error
    return { 'schema-invalid': 'refused', 'caveat-failed': 'failed' }[error.code as string] ?? error.code
  }
}

test.each(knownCases)('as SpiceDB: %s: %s with %s', async (parameters, expression, json) => {
  const known = { parameters, expression, context: JSON.parse(json) }
  const theirs = await spicedb.ask(known)
  expect(answer(known)).toBe(theirs.startsWith('refused') ? 'refused' : theirs)
})

/** Differences that stay; none but the last answers yes or no where SpiceDB answers the other. */
test.each([
  // A key that fails is told before the list is missed; once the list is given both fail.
  ['l list<int>, i int', 'l[1 / i] == 1', '{"i":0}', 'missing l', 'failed'],
  ['i int', 'i == 8', '{"i":"1p3"}', 'context-type', 'true'],
  ['s string', 'double(s) == 16.0', '{"s":"0x10p0"}', 'failed', 'true'],
  // cel-go adds in place where the bytes of the parameter have room: here both sums are the later one.
  ['y bytes', 'y + y > y + b"a"', '{"y":"/w=="}', 'true', 'false'],
])('other than SpiceDB: %s: %s with %s', async (parameters, expression, json, ours, theirs) => {
  const known = { parameters, expression, context: JSON.parse(json) }
  expect([answer(known), await spicedb.ask(known)]).toEqual([ours, theirs])
})

test(`random caveats are answered as by SpiceDB (seed ${seed})`, { timeout: 60_000 + numRuns * 200 }, async () => {
  const counts: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(caveatCases, async (asked) => {
      const ours = answer(asked)
      const theirs = await spicedb.ask(asked)
      const kind = ours.split(' ')[0] ?? ''
      counts[kind] = (counts[kind] ?? 0) + 1
      // What we refuse cannot be answered wrongly; how much that may be is counted below.
      if (ours !== 'refused') expect(ours).toBe(theirs)
    }),
    { numRuns, seed },
  )
  expect(counts['refused'] ?? 0).toBeLessThan(numRuns * 0.3)
  for (const kind of ['true', 'false', 'missing', 'failed'])
    expect(counts[kind] ?? 0, kind).toBeGreaterThan(numRuns / 20)
})
