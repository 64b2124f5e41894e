import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Fragment } from './list-query.ts'
import type { Sql } from './sql.ts'

const maxItems = 100

/**
 * Combines the look-ups of one turn of the event loop into one statement: under load, many requests share the costs of
 * sending and starting it. `findAll` returns what it finds by key; at most 100 keys are passed at once. No look-up is
 * answered by a statement that was sent before it, so each one sees what was committed before. If the statement fails,
 * all its look-ups do.
 */
export function combineLookups<T>(
  findAll: (keys: string[]) => Promise<Map<string, T>>,
): (key: string) => Promise<T | undefined> {
  const find = combine((keys: string[]) => findAll([...new Set(keys)]))
  return async (key) => (await find(key)).get(key)
}

/**
 * Combines the writes of one turn of the event loop into one statement, of at most 100 items. If it fails, all its writes
 * do.
 */
export const combineWrites = <T>(writeAll: (items: T[]) => Promise<void>): ((item: T) => Promise<void>) =>
  combine(writeAll)

function combine<Item, Result>(runAll: (items: Item[]) => Promise<Result>): (item: Item) => Promise<Result> {
  let open: { items: Item[]; result: Promise<Result> } | undefined

  function openBatch() {
    const items: Item[] = []
    const batch = {
      items,
      result: nextTurn().then(() => {
        if (open === batch) open = undefined
        return runAll(items)
      }),
    }
    return batch
  }

  return (item) => {
    if (!open || open.items.length >= maxItems) open = openBatch()
    open.items.push(item)
    return open.result
  }
}

/**
 * Returns the part of a statement that lists texts, for `from`. The planner does not know how many there are: for an
 * array as a parameter it would count them, and plan each statement again.
 */
export const toRows = (sql: Sql, texts: string[]): Fragment =>
  sql`unnest(array(select jsonb_array_elements_text(${sql.json(texts)})))`
