/** The part of the connections for work of one kind that makes no progress. More than half, so that one kind can have it. */
const maxStalledShare = 0.7
/** Work of a kind makes progress for this time after one succeeded. */
const progressMs = 5

/** What work is: a statement, by its place in the code, or any transaction. */
export type WorkKind = object

export const transactionKind: WorkKind = {}

interface Holder {
  kind: WorkKind | undefined
  holderCount: number
}

/** Finds the work of a pool that probably waits for a lock. */
export interface StalledWork {
  recordSuccess: (kind: WorkKind) => void
  /** Returns the kind that gets no further connections, and whose connections are not shared. */
  find: (connections: Iterable<Holder>) => WorkKind | undefined
}

/**
 * Finds work that holds many connections while none of it succeeds: it probably waits for the lock of another session,
 * and would otherwise take all connections until its lock timeout. Work that makes progress loses nothing, because each
 * success lets those continue that wait.
 */
export function createStalledWork(maxConnections: number): StalledWork {
  const maxStalled = Math.ceil(maxConnections * maxStalledShare)
  const hasRest = maxStalled < maxConnections
  const succeededAt = new WeakMap<WorkKind, number>()
  return {
    recordSuccess: (kind) => void succeededAt.set(kind, performance.now()),
    find: (connections) => {
      if (!hasRest) return undefined
      const now = performance.now()
      const kinds: WorkKind[] = []
      for (const { kind, holderCount } of connections)
        if (kind && holderCount > 0 && now - (succeededAt.get(kind) ?? 0) >= progressMs) kinds.push(kind)
      if (kinds.length < maxStalled) return undefined
      return kinds.find((kind) => kinds.filter((other) => other === kind).length >= maxStalled)
    },
  }
}
