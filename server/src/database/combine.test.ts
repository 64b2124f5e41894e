import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { combineLookups, combineWrites } from './combine.ts'

/** Finds the upper case of each key but `missing`, and records the keys of each statement. */
function createFinder() {
  const statements: string[][] = []
  const find = combineLookups(async (keys) => {
    statements.push(keys)
    await nextTurn()
    if (keys.includes('broken')) throw new Error('The statement failed')
    return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()]))
  })
  return { find, statements }
}

test('look-ups of one turn share a statement, and each gets its own answer', async () => {
  const { find, statements } = createFinder()
  expect(await Promise.all(['a', 'b', 'missing', 'a'].map(find))).toEqual(['A', 'B', undefined, 'A'])
  expect(statements).toEqual([['a', 'b', 'missing']])
})

test('a look-up is not answered by a statement that was sent before it', async () => {
  const { find, statements } = createFinder()
  const first = find('a')
  while (statements.length === 0) await nextTurn()
  const second = find('a')
  expect(await Promise.all([first, second])).toEqual(['A', 'A'])
  expect(statements).toEqual([['a'], ['a']])
})

describe('while a statement is executed', () => {
  /** Finds nothing, and ends a statement only when the test says so. */
  function createSlowFinder(maxWaitMs: number) {
    const statements: { keys: string; end: () => void }[] = []
    const find = combineLookups(
      (keys) => {
        const { promise, resolve } = Promise.withResolvers<Map<string, string>>()
        statements.push({ keys: keys.join(), end: () => resolve(new Map()) })
        return promise
      },
      { maxWaitMs },
    )
    const waitForStatements = async (count: number) => {
      while (statements.length < count) await nextTurn()
    }
    return { find, statements, waitForStatements }
  }

  test('the look-ups after it gather for the next one', async () => {
    const { find, statements, waitForStatements } = createSlowFinder(60_000)
    const found = [find('a')]
    await waitForStatements(1)
    for (const key of ['b', 'c']) {
      found.push(find(key))
      await nextTurn()
    }
    expect(statements).toHaveLength(1)
    statements[0]?.end()
    await waitForStatements(2)
    statements[1]?.end()
    await Promise.all(found)
    expect(statements.map(({ keys }) => keys)).toEqual(['a', 'b,c'])
  })

  test('they do not wait for long', async () => {
    const { find, statements, waitForStatements } = createSlowFinder(1)
    const found = [find('a')]
    await waitForStatements(1)
    found.push(find('b'))
    await waitForStatements(2)
    for (const { end } of statements) end()
    await Promise.all(found)
    expect(statements.map(({ keys }) => keys)).toEqual(['a', 'b'])
  })
})

test('a statement has 100 keys at most', async () => {
  const { find, statements } = createFinder()
  const keys = Array.from({ length: 250 }, (_, index) => `k${index}`)
  expect(await Promise.all(keys.map(find))).toEqual(keys.map((key) => key.toUpperCase()))
  expect(statements.map(({ length }) => length)).toEqual([100, 100, 50])
})

test('a failed statement fails its look-ups, and no later one', async () => {
  const { find } = createFinder()
  expect((await Promise.allSettled(['a', 'broken'].map(find))).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ])
  expect(await find('a')).toBe('A')
})

test('writes of one turn share a statement, and fail together', async () => {
  const statements: string[][] = []
  const write = combineWrites(async (items: string[]) => {
    statements.push(items)
    if (items.includes('broken')) throw new Error('The statement failed')
  })
  await Promise.all(['a', 'b', 'b'].map(write))
  const results = await Promise.allSettled(['c', 'broken'].map(write))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await write('d')
  expect(statements).toEqual([['a', 'b', 'b'], ['c', 'broken'], ['d']])
})
