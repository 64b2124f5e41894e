import {
  type Consistency,
  type EvaluationOptions,
  type Graph,
  type MemoryGraph,
  type ReadPage,
  type Relationship,
  type RelationshipFilter,
  type Schema,
  type Token,
  validateFilter,
} from '@passport/permissions'
import { type Sql, transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import type { SchemaCache } from './directory-schema.ts'
import { isAtLeast, type LogReplica, type TargetRevision } from './log-replica.ts'
import { notCaughtUp, type Snapshot, withSnapshot } from './sql-graph.ts'
import { decodeRevision, encodeToken, isKnownToken } from './token.ts'

/** The state that the methods of the embedded engine share. */
export interface EngineContext {
  sql: Sql
  schemas: SchemaCache
  replica: LogReplica
  evaluate: Evaluate
  /** By default, a cycle is an error of a check and has no permission in a lookup. */
  options: Pick<EvaluationOptions, 'cycles'>
}

/** The schema and revision that a request is evaluated with. */
export interface AtRevision {
  schema: Schema
  epoch: string
  rev: number
}

/** A request to evaluate, on either of the two graphs. */
export interface GraphRequest<T, G extends Graph = MemoryGraph> {
  /** Evaluates on the in-memory graph, synchronously: the graph may change at any `await`. */
  evaluateInMemory: (state: AtRevision & { graph: G }) => T
  /** Evaluates in a snapshot of the database. */
  evaluateInSnapshot: (snapshot: Snapshot) => Promise<T>
}

/** Evaluates a request at a revision that satisfies the consistency. Throws `token-invalid` and `not-caught-up`. */
export type Evaluate = <T>(consistency: Consistency | undefined, request: GraphRequest<T>) => Promise<T>

/** `Evaluate` for requests that accept any kind of graph, such as one with hypothetical changes. */
export type EvaluateOnGraph = <T>(consistency: Consistency | undefined, request: GraphRequest<T, Graph>) => Promise<T>

/** Creates a request that runs the same evaluation on the graph in memory, or on one that `fetch` returns. */
export function createGraphRequest<T>(
  fetch: (snapshot: Snapshot) => Promise<Graph>,
  evaluate: (revision: AtRevision, graph: Graph) => T,
): GraphRequest<T, Graph> {
  return {
    evaluateInMemory: (state) => evaluate(state, state.graph),
    evaluateInSnapshot: async (snapshot) => evaluate(snapshot, await fetch(snapshot)),
  }
}

/** Creates a request for a page of matching relationships. Its evaluation throws the errors of `validateFilter`. */
export function createReadRequest(
  filter: RelationshipFilter,
  page: Omit<ReadPage, 'now'>,
): GraphRequest<AtRevision & { items: Relationship[] }> {
  return {
    evaluateInMemory: ({ graph, schema, epoch, rev }) => {
      validateFilter(schema, filter)
      return { schema, epoch, rev, items: graph.read(filter, { ...page, now: Date.now() }) }
    },
    evaluateInSnapshot: async (snapshot) => {
      validateFilter(snapshot.schema, filter)
      return { ...snapshot, items: await snapshot.read(filter, page) }
    },
  }
}

/** The maximum wait for this process to reach a committed revision. */
const catchUpMs = 5000

/** Returns a function that evaluates in memory if the replica is fresh enough, and otherwise in the database. */
export function createEvaluate(sql: Sql, schemas: SchemaCache, replica: LogReplica): Evaluate {
  const readFromDatabase = <T>(rev: number | undefined, { evaluateInSnapshot }: GraphRequest<T>) =>
    withSnapshot(sql, schemas, rev, evaluateInSnapshot)

  /** Reads the head for an unknown token, which may belong to a newer epoch. */
  async function resolveToken(token: string): Promise<TargetRevision> {
    const state = replica.current()
    if (state && isKnownToken(token, state)) return { rev: decodeRevision(token, state) }
    const head = await commitStore.readHead(sql)
    return { rev: decodeRevision(token, head), epoch: head.epoch }
  }

  const isBehind = (target: TargetRevision): boolean => {
    const state = replica.current()
    return state !== undefined && !isAtLeast(state, target)
  }

  async function evaluateAtLeast<T>(target: TargetRevision, request: GraphRequest<T>): Promise<T> {
    // Keeps no reference to the state while waiting: the relationships may be reloaded.
    if (isBehind(target)) {
      // Tokens are issued after their commit, so a future revision is rejected without waiting.
      if ((await commitStore.readHead(sql)).rev < target.rev) throw notCaughtUp()
      await replica.waitForRevision(target, catchUpMs)
    }
    const state = replica.current()
    if (state && isAtLeast(state, target)) return request.evaluateInMemory(state)
    return withSnapshot(sql, schemas, undefined, (snapshot) => {
      if (snapshot.rev < target.rev) throw notCaughtUp()
      return request.evaluateInSnapshot(snapshot)
    })
  }

  return async (consistency = { kind: 'minimizeLatency' }, request) => {
    if (consistency.kind === 'atLeastAsFresh') return evaluateAtLeast(await resolveToken(consistency.token), request)
    if (consistency.kind === 'fullyConsistent' && replica.current())
      return evaluateAtLeast(await commitStore.readHead(sql), request)
    if (consistency.kind === 'atExactSnapshot') {
      const target = await resolveToken(consistency.token)
      const state = replica.current()
      const isExact = state?.rev === target.rev && isAtLeast(state, target)
      return isExact ? request.evaluateInMemory(state) : readFromDatabase(target.rev, request)
    }
    const state = replica.current()
    return state ? request.evaluateInMemory(state) : readFromDatabase(undefined, request)
  }
}

/**
 * Runs `body` in a transaction of its own, and waits until the replica has its commit. The revision is read after the
 * commit, so that other commits do not wait for that read. `isRetry` marks a retry after a rollback.
 */
export async function commit<T>(
  { sql, replica }: EngineContext,
  body: (sql: Sql, isRetry: boolean) => Promise<T>,
): Promise<{ token: Token; written: T }> {
  let isRetry = false
  const { id, written } = await transaction(sql, async (sql) => {
    const isSecondRun = isRetry
    isRetry = true
    const written = await body(sql, isSecondRun)
    return { written, id: await commitStore.findOwnCommit(sql) }
  })
  const { epoch, rev } = (id && (await commitStore.findRevisionOfCommit(sql, id))) || (await commitStore.readHead(sql))
  // Until the relationships are loaded, requests are evaluated in the database, which has the commit.
  if (replica.current()) await replica.waitForRevision({ epoch, rev }, catchUpMs)
  return { token: encodeToken(epoch, rev), written }
}
