import type { Fragment } from './list-query.ts'
import type { Sql } from './sql.ts'

const maxItems = 100

/**
 * Combines the look-ups of one turn of the event loop into one statement: under load, many requests share the costs of
 * sending and starting it. While the one before it is executed, it waits for more, up to 5 ms. `findAll` returns what it
 * finds by key; at most 100 keys are passed at once. No look-up is answered by a statement that was sent before it, so
 * each one sees what was committed before. If the statement fails, all its look-ups do.
 */
export function combineLookups<T>(
  findAll: (keys: string[]) => Promise<Map<string, T>>,
  { maxWaitMs }: { maxWaitMs?: number } = {},
): (key: string) => Promise<T | undefined> {
  const find = combine((keys: string[]) => findAll([...new Set(keys)]), maxWaitMs)
  return async (key) => (await find(key)).get(key)
}

/**
 * Combines the writes of one turn of the event loop into one statement, of at most 100 items. If it fails, all its writes
 * do.
 */
export const combineWrites = <T>(writeAll: (items: T[]) => Promise<void>): ((item: T) => Promise<void>) =>
  combine(writeAll)

interface Batch<Item, Result> {
  items: Item[]
  result: PromiseWithResolvers<Result>
  /** Set while the batch waits for the statement before it. */
  timer?: NodeJS.Timeout
}

function combine<Item, Result>(
  runAll: (items: Item[]) => Promise<Result>,
  maxWaitMs = 5,
): (item: Item) => Promise<Result> {
  /** The batch that gathers items; only one that is not full can wait. */
  let open: Batch<Item, Result> | undefined
  let runningCount = 0

  function openBatch(): Batch<Item, Result> {
    const batch: Batch<Item, Result> = { items: [], result: Promise.withResolvers() }
    setImmediate(() => {
      if (batch !== open) return
      if (runningCount === 0) void run(batch)
      else batch.timer = setTimeout(run, maxWaitMs, batch)
    })
    return batch
  }

  async function run(batch: Batch<Item, Result>) {
    const { items, result, timer } = batch
    clearTimeout(timer)
    open = undefined
    runningCount++
    try {
      result.resolve(await runAll(items))
    } catch (error) {
      result.reject(error)
    }
    runningCount--
    const next = open as Batch<Item, Result> | undefined
    if (next?.timer && runningCount === 0) void run(next)
  }

  return (item) => {
    const batch = open ?? openBatch()
    open = batch
    batch.items.push(item)
    if (batch.items.length === maxItems) void run(batch)
    return batch.result.promise
  }
}

/**
 * Returns the part of a statement that lists texts, for `from`. The planner does not know how many there are: for an
 * array as a parameter it would count them, and plan each statement again.
 */
export const toRows = (sql: Sql, texts: string[]): Fragment =>
  sql`unnest(array(select jsonb_array_elements_text(${sql.json(texts)})))`
