let databaseMs = 0
let depth = 0

/**
 * Runs set-up work, and adds its duration to the time that the test file waited for databases and services. May be
 * nested.
 */
export async function countDatabaseTime<Result>(work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  depth++
  try {
    return await work()
  } finally {
    depth--
    if (depth === 0) databaseMs += performance.now() - startedAt
  }
}

/** Returns the time in milliseconds that the test file waited, and resets it for the next file of the worker. */
export function takeDatabaseMs(): number {
  const taken = databaseMs
  databaseMs = 0
  return taken
}
