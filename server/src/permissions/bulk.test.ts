import { compileSchema } from '@passport/permissions/compile'
import type { CheckQuestion } from '@passport/permissions/engine'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import { expect, test } from 'vitest'
import { bulkOf } from './bulk.ts'
import type { Asked } from './consistency.ts'
import { one, questionOf, startEngine, updatesOf } from './test-engines.ts'
import { tokenOf } from './token.ts'

const schema = `definition user {}

definition group {
  relation member: user | group#member
}

definition document {
  relation viewer: user | group#member
}`

/** Each question about `document:wide` looks at so many groups. */
function momentOf(groups: number, everyGroupInEachOther = false): Asked & { graph: MemoryGraph } {
  const graph = new MemoryGraph()
  for (let group = 0; group < groups; group++) {
    graph.add(one(`document:wide#viewer@group:g${group}#member`))
    graph.add(one(`group:g${group}#member@user:ann`))
    if (!everyGroupInEachOther) continue
    for (let other = 0; other < groups; other++) graph.add(one(`group:g${group}#member@group:g${other}#member`))
  }
  return { graph, schema: compileSchema(schema), epoch: 'epoch', rev: 7 }
}

const wide = questionOf('document:wide#viewer@user:nobody')
const often = (question: CheckQuestion, count: number) => Array.from({ length: count }, () => question)

/** How often others had their turn until the work was done. */
async function turnsDuring<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const result = await work()
  isOver = true
  return { result, turns }
}

test('others have their turn between the questions of a call', async () => {
  const moment = momentOf(2000)
  const { result, turns } = await turnsDuring(
    async () => await bulkOf(often(wide, 200), { withTurns: true }).ofMemory(moment),
  )
  expect(result?.answers).toHaveLength(200)
  expect(result?.checkedAt).toBe(tokenOf('epoch', 7))
  expect(turns).toBeGreaterThan(2)
})

test('there are no answers where the relationships changed meanwhile', async () => {
  const moment = momentOf(2000)
  setImmediate(() => {
    moment.graph.add(one('document:wide#viewer@user:nobody'))
    moment.rev++
  })
  expect(await bulkOf(often(wide, 200), { withTurns: true }).ofMemory(moment)).toBeUndefined()
})

test('in one go nobody has a turn, and all take no more than one question may', async () => {
  const moment = momentOf(2000)
  const { result, turns } = await turnsDuring(
    async () => await bulkOf(often(wide, 1000), { withTurns: false }).ofMemory(moment),
  )
  expect(turns).toBeLessThanOrEqual(1)
  expect(result?.answers[0]).toMatchObject({ permissionship: 'noPermission' })
  expect(result?.answers.at(-1)).toMatchObject({ fault: { code: 'too-much-work' } })
})

test('what one question takes is not missing to the next', async () => {
  const moment = momentOf(300, true)
  moment.graph.add(one('document:small#viewer@user:ann'))
  const small = questionOf('document:small#viewer@user:ann')
  const bulk = await bulkOf([small, wide, small], { withTurns: true }).ofMemory(moment)
  expect(bulk?.answers).toEqual([
    { permissionship: 'hasPermission', missing: [] },
    { fault: expect.objectContaining({ code: 'too-much-work' }) },
    { permissionship: 'hasPermission', missing: [] },
  ])
})

test('all answers are of one moment, whatever is written meanwhile', async () => {
  const { engine } = await startEngine(schema)
  const groups = Array.from({ length: 900 }, (_, at) => `~document:wide#viewer@group:g${at}#member`)
  await engine.writeRelationships(updatesOf(...groups, '~document:one#viewer@user:ann'))
  const [first, second] = ['one', 'two'].map((id) => questionOf(`document:${id}#viewer@user:ann`))
  if (!first || !second) throw new Error('no questions')
  let isWriting = true
  let written = 0
  const writing = (async () => {
    while (isWriting) {
      const [gone, come] = written++ % 2 === 0 ? ['one', 'two'] : ['two', 'one']
      await engine.writeRelationships(
        updatesOf(`-document:${gone}#viewer@user:ann`, `~document:${come}#viewer@user:ann`),
      )
    }
  })()
  const questions = Array.from({ length: 330 }, () => [first, wide, second]).flat()
  for (let round = 0; round < 10 || written < 12; round++) {
    const { answers } = await engine.checkBulk(questions)
    const told = answers.map((answer) => ('permissionship' in answer ? answer.permissionship : answer.fault.code))
    const ofFirst = new Set(told.filter((_, at) => at % 3 === 0))
    const ofSecond = new Set(told.filter((_, at) => at % 3 === 2))
    expect([...ofFirst, ...ofSecond].sort()).toEqual(['hasPermission', 'noPermission'])
  }
  isWriting = false
  await writing
  expect(written).toBeGreaterThan(10)
})
