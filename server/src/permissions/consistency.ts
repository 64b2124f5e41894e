import {
  type Consistency,
  type Graph,
  type MemoryGraph,
  type ReadPage,
  type Relationship,
  type RelationshipFilter,
  type Schema,
  validateFilter,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { isAtLeast, type LogReplica, type TargetRevision } from './log-replica.ts'
import type { SchemaCache } from './schemas.ts'
import { notCaughtUp, type Snapshot, withSnapshot } from './sql-graph.ts'
import { decodeRevision, isKnownToken } from './token.ts'

/** The schema and revision that a question is evaluated with. */
export interface AtRevision {
  schema: Schema
  epoch: string
  rev: number
}

export interface Question<T, G extends Graph = MemoryGraph> {
  /** Answers from the in-memory graph, synchronously: the graph may change at any `await`. */
  evaluateInMemory: (state: AtRevision & { graph: G }) => T
  /** Answers from the database. */
  evaluateInSnapshot: (snapshot: Snapshot) => Promise<T>
}

/** How long to wait for this process to reach a token's revision before asking the database, which has it. */
const catchUpMs = 5000

export type Evaluate = <T>(consistency: Consistency | undefined, question: Question<T>) => Promise<T>

/** `Ask` for questions that any kind of graph can answer. */
export type EvaluateOnGraph = <T>(consistency: Consistency | undefined, question: Question<T, Graph>) => Promise<T>

/** Answers each question from memory if that is fresh enough, otherwise from the database. */
export function createEvaluate(sql: Sql, schemas: SchemaCache, replica: LogReplica): Evaluate {
  const readFromDatabase = <T>(rev: number | undefined, { evaluateInSnapshot }: Question<T>) =>
    withSnapshot(sql, schemas, rev, evaluateInSnapshot)
  /** A token unknown to this process may belong to a newer epoch, so the database is asked. */
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

  async function evaluateAtLeast<T>(target: TargetRevision, question: Question<T>): Promise<T> {
    // Keeps no reference to the moment while waiting: the relationships may be reloaded.
    if (isBehind(target)) {
      // Tokens are issued after their commit, so a future revision is rejected without waiting.
      if ((await commitStore.readHead(sql)).rev < target.rev) throw notCaughtUp()
      await replica.waitForRevision(target, catchUpMs)
    }
    const state = replica.current()
    if (state && isAtLeast(state, target)) return question.evaluateInMemory(state)
    return readFromDatabase(undefined, {
      ...question,
      evaluateInSnapshot: (snapshot) => {
        if (snapshot.rev < target.rev) throw notCaughtUp()
        return question.evaluateInSnapshot(snapshot)
      },
    })
  }

  return async (consistency = { kind: 'minimizeLatency' }, question) => {
    if (consistency.kind === 'fullyConsistent')
      return replica.current()
        ? evaluateAtLeast(await commitStore.readHead(sql), question)
        : readFromDatabase(undefined, question)
    if (consistency.kind === 'atLeastAsFresh') return evaluateAtLeast(await resolveToken(consistency.token), question)
    if (consistency.kind === 'atExactSnapshot') {
      const target = await resolveToken(consistency.token)
      const state = replica.current()
      const isExact = state?.rev === target.rev && isAtLeast(state, target)
      return isExact ? question.evaluateInMemory(state) : readFromDatabase(target.rev, question)
    }
    const state = replica.current()
    return state ? question.evaluateInMemory(state) : readFromDatabase(undefined, question)
  }
}

/** A question answered the same way from a graph in memory or from the database. */
export function graphQuestion<T>(
  fetch: (snapshot: Snapshot) => Promise<Graph>,
  evaluate: (revision: AtRevision, graph: Graph) => T,
): Question<T, Graph> {
  return {
    evaluateInMemory: (state) => evaluate(state, state.graph),
    evaluateInSnapshot: async (snapshot) => evaluate(snapshot, await fetch(snapshot)),
  }
}

/** Reads a page of matching relationships. Throws for a filter with names that are not in the schema. */
export function readQuestion(
  filter: RelationshipFilter,
  page: Omit<ReadPage, 'now'>,
): Question<AtRevision & { items: Relationship[] }> {
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
