import type { Consistency } from '@passport/permissions/engine'
import type { Graph } from '@passport/permissions/graph'
import type { MemoryGraph } from '@passport/permissions/memory-graph'
import type { Relationship, RelationshipFilter } from '@passport/permissions/relationship'
import type { Schema } from '@passport/permissions/schema'
import { validateFilter } from '@passport/permissions/validate-filter'
import type { Sql } from '../database/sql.ts'
import type { Follower } from './log.ts'
import type { Schemas } from './schemas.ts'
import { atSnapshot, notCaughtUp, type Snapshot } from './sql-graph.ts'
import * as store from './store.ts'
import { revisionOf } from './token.ts'

/** What is asked with: whatever graph there is. */
export interface Asked {
  schema: Schema
  epoch: string
  rev: number
}

export interface Question<T, G extends Graph = MemoryGraph> {
  /** Of the graph in memory, at once: it is another one after any `await`. */
  ofMemory: (moment: Asked & { graph: G }) => T
  /** Of the database. */
  ofSnapshot: (snapshot: Snapshot) => Promise<T>
}

/** How long a server may take to come as far as a token. */
const catchUpMs = 5000

export type Ask = <T>(consistency: Consistency | undefined, question: Question<T>) => Promise<T>

/** The same of questions that any graph answers. */
export type AskGraph = <T>(consistency: Consistency | undefined, question: Question<T, Graph>) => Promise<T>

/** Answers each question from memory where that is as fresh as is asked, else from the database. */
export function createAsk(sql: Sql, schemas: Schemas, follower: Follower): Ask {
  const ofDatabase = <T>(rev: number | undefined, { ofSnapshot }: Question<T>) =>
    atSnapshot(sql, schemas, rev, ofSnapshot)
  const epoch = async () => follower.current()?.epoch ?? (await store.readHead(sql)).epoch

  async function atLeast<T>(rev: number, question: Question<T>): Promise<T> {
    // No more than the number is kept while it waits: all relationships may be loaded anew.
    const known = follower.current()?.rev
    if (known !== undefined && known < rev) {
      // No token is older than its commit: for a moment that has not been, nobody has to wait.
      if ((await store.readHead(sql)).rev < rev || !(await follower.reach(rev, catchUpMs))) throw notCaughtUp()
    }
    const moment = follower.current()
    if (moment && moment.rev >= rev) return question.ofMemory(moment)
    return ofDatabase(undefined, {
      ...question,
      ofSnapshot: (snapshot) => {
        if (snapshot.rev < rev) throw notCaughtUp()
        return question.ofSnapshot(snapshot)
      },
    })
  }

  return async (consistency = { kind: 'minimizeLatency' }, question) => {
    if (consistency.kind === 'fullyConsistent')
      return follower.current() ? atLeast((await store.readHead(sql)).rev, question) : ofDatabase(undefined, question)
    if (consistency.kind === 'atLeastAsFresh') return atLeast(revisionOf(consistency.token, await epoch()), question)
    if (consistency.kind === 'atExactSnapshot') {
      const rev = revisionOf(consistency.token, await epoch())
      const moment = follower.current()
      return moment?.rev === rev ? question.ofMemory(moment) : ofDatabase(rev, question)
    }
    const moment = follower.current()
    return moment ? question.ofMemory(moment) : ofDatabase(undefined, question)
  }
}

/** One question that a graph answers, the same way from memory and from the database. */
export function ofGraph<T>(
  fetch: (snapshot: Snapshot) => Promise<Graph>,
  answer: (asked: Asked, graph: Graph) => T,
): Question<T, Graph> {
  return {
    ofMemory: (moment) => answer(moment, moment.graph),
    ofSnapshot: async (snapshot) => answer(snapshot, await fetch(snapshot)),
  }
}

/** A page of relationships that fit. Throws for a filter that names what the schema does not have. */
export function ofRelationships(
  filter: RelationshipFilter,
  page: { after?: Relationship; limit: number },
): Question<Asked & { items: Relationship[] }> {
  return {
    ofMemory: ({ graph, schema, epoch, rev }) => {
      validateFilter(schema, filter)
      return { schema, epoch, rev, items: graph.read(filter, { ...page, now: Date.now() }) }
    },
    ofSnapshot: async (snapshot) => {
      validateFilter(snapshot.schema, filter)
      return { ...snapshot, items: await snapshot.read(filter, page) }
    },
  }
}
