import { setImmediate as nextTurn } from 'node:timers/promises'

const maxKeys = 100

interface Batch<T> {
  keys: Set<string>
  found: Promise<Map<string, T>>
}

/**
 * Combines the look-ups of one turn of the event loop into one statement: under load, many requests share the costs of
 * sending and starting it. `findAll` returns what it finds by key; at most 100 keys are passed at once. No look-up is
 * answered by a statement that was sent before it, so each one sees what was committed before. If the statement fails,
 * all its look-ups do.
 */
export function combineLookups<T>(
  findAll: (keys: string[]) => Promise<Map<string, T>>,
): (key: string) => Promise<T | undefined> {
  let open: Batch<T> | undefined

  function openBatch(): Batch<T> {
    const keys = new Set<string>()
    const batch = {
      keys,
      found: nextTurn().then(() => {
        if (open === batch) open = undefined
        return findAll([...keys])
      }),
    }
    return batch
  }

  return async (key) => {
    if (!open || open.keys.size >= maxKeys) open = openBatch()
    const { keys, found } = open
    keys.add(key)
    return (await found).get(key)
  }
}
