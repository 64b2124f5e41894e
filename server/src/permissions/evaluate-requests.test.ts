import { type CheckRequest, MemoryGraph, parseRelationship } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { expect, test } from 'vitest'
import type { AtRevision } from './consistency.ts'
import { createBulkRequest } from './evaluate-requests.ts'
import { parseCheck, parseUpdates, startEngine } from './test-engines.ts'
import { encodeToken } from './token.ts'

const schema = `definition user {}

definition group {
  relation member: user | group#member
}

definition document {
  relation viewer: user | group#member
}`

/** Each check of `document:wide` visits this many groups. */
function buildState(groups: number, everyGroupInEachOther = false): AtRevision & { graph: MemoryGraph } {
  const graph = new MemoryGraph()
  for (let group = 0; group < groups; group++) {
    graph.add(parseRelationship(`document:wide#viewer@group:g${group}#member`))
    graph.add(parseRelationship(`group:g${group}#member@user:ann`))
    if (!everyGroupInEachOther) continue
    for (let otherGroup = 0; otherGroup < groups; otherGroup++)
      graph.add(parseRelationship(`group:g${group}#member@group:g${otherGroup}#member`))
  }
  return { graph, schema: compileSchema(schema), epoch: 'epoch', rev: 7 }
}

const wide = parseCheck('document:wide#viewer@user:nobody')
const repeat = (request: CheckRequest, count: number) => Array.from({ length: count }, () => request)

/** Counts how often the event loop ran other work until the call was done. */
async function countTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const result = await work()
  isDone = true
  return { result, turns }
}

test('yields between the checks of a call', async () => {
  const state = buildState(2000)
  const { result, turns } = await countTurns(
    async () => await createBulkRequest(repeat(wide, 200), { withYields: true }).evaluateInMemory(state),
  )
  expect(result?.results).toHaveLength(200)
  expect(result?.checkedAt).toBe(encodeToken('epoch', 7))
  expect(turns).toBeGreaterThan(2)
})

test('returns no results if the relationships change between checks', async () => {
  const state = buildState(2000)
  setImmediate(() => {
    state.graph.add(parseRelationship('document:wide#viewer@user:nobody'))
    state.rev++
  })
  expect(await createBulkRequest(repeat(wide, 200), { withYields: true }).evaluateInMemory(state)).toBeUndefined()
})

test('does not yield without `withYields`, and limits all checks to the budget of one', async () => {
  const state = buildState(2000)
  const { result, turns } = await countTurns(
    async () => await createBulkRequest(repeat(wide, 1000), { withYields: false }).evaluateInMemory(state),
  )
  expect(turns).toBeLessThanOrEqual(1)
  expect(result?.results[0]).toMatchObject({ permissionship: 'noPermission' })
  expect(result?.results.at(-1)).toMatchObject({ error: { code: 'too-much-work' } })
})

test('the work of one check does not reduce the budget of the next', async () => {
  const state = buildState(300, true)
  state.graph.add(parseRelationship('document:small#viewer@user:ann'))
  const small = parseCheck('document:small#viewer@user:ann')
  const bulk = await createBulkRequest([small, wide, small], { withYields: true }).evaluateInMemory(state)
  expect(bulk?.results).toEqual([
    { permissionship: 'hasPermission', missing: [] },
    { error: expect.objectContaining({ code: 'too-much-work' }) },
    { permissionship: 'hasPermission', missing: [] },
  ])
})

test('all results are of one revision despite concurrent writes', async () => {
  const { engine } = await startEngine(schema)
  const groups = Array.from({ length: 900 }, (_, index) => `~document:wide#viewer@group:g${index}#member`)
  await engine.writeRelationships(parseUpdates(...groups, '~document:one#viewer@user:ann'))
  const [first, second] = ['one', 'two'].map((id) => parseCheck(`document:${id}#viewer@user:ann`))
  if (!first || !second) throw new Error('no checks')
  let isWriting = true
  let written = 0
  const writing = (async () => {
    while (isWriting) {
      const [gone, come] = written++ % 2 === 0 ? ['one', 'two'] : ['two', 'one']
      await engine.writeRelationships(
        parseUpdates(`-document:${gone}#viewer@user:ann`, `~document:${come}#viewer@user:ann`),
      )
    }
  })()
  const requests = Array.from({ length: 330 }, () => [first, wide, second]).flat()
  for (let round = 0; round < 10 || written < 12; round++) {
    const { results } = await engine.checkBulk(requests)
    const outcomes = results.map((result) => ('permissionship' in result ? result.permissionship : result.error.code))
    const firstOutcomes = new Set(outcomes.filter((_, index) => index % 3 === 0))
    const secondOutcomes = new Set(outcomes.filter((_, index) => index % 3 === 2))
    expect([...firstOutcomes, ...secondOutcomes].sort()).toEqual(['hasPermission', 'noPermission'])
  }
  isWriting = false
  await writing
  expect(written).toBeGreaterThan(10)
})
