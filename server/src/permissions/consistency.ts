import type { Consistency } from '@passport/permissions/engine'
import type { Graph } from '@passport/permissions/graph'
import type { MemoryGraph } from '@passport/permissions/memory-graph'
import type { ReadPage } from '@passport/permissions/read-relationships'
import type { Relationship, RelationshipFilter } from '@passport/permissions/relationship'
import type { Schema } from '@passport/permissions/schema'
import { validateFilter } from '@passport/permissions/validate-filter'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { type Follower, isAsNew, type Wanted } from './log.ts'
import type { Schemas } from './schemas.ts'
import { atSnapshot, notCaughtUp, type Snapshot } from './sql-graph.ts'
import { isOfEpochs, revisionOf } from './token.ts'

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

/** How long a server may take to come as far as a token before the database is asked, which is there. */
const catchUpMs = 5000

export type Ask = <T>(consistency: Consistency | undefined, question: Question<T>) => Promise<T>

/** The same of questions that any graph answers. */
export type AskGraph = <T>(consistency: Consistency | undefined, question: Question<T, Graph>) => Promise<T>

/** Answers each question from memory where that is as fresh as is asked, else from the database. */
export function createAsk(sql: Sql, schemas: Schemas, follower: Follower): Ask {
  const ofDatabase = <T>(rev: number | undefined, { ofSnapshot }: Question<T>) =>
    atSnapshot(sql, schemas, rev, ofSnapshot)
  /** What this process does not know of may have come with another epoch: the database is asked then. */
  async function heldBy(token: string): Promise<Wanted> {
    const moment = follower.current()
    if (moment && isOfEpochs(token, moment)) return { rev: revisionOf(token, moment) }
    const head = await commitStore.readHead(sql)
    return { rev: revisionOf(token, head), epoch: head.epoch }
  }

  const isBehind = (wanted: Wanted): boolean => {
    const moment = follower.current()
    return moment !== undefined && !isAsNew(moment, wanted)
  }

  async function atLeast<T>(wanted: Wanted, question: Question<T>): Promise<T> {
    // Nothing of the moment is kept while it waits: all relationships may be loaded anew.
    if (isBehind(wanted)) {
      // No token is older than its commit: for a moment that has not been, nobody has to wait.
      if ((await commitStore.readHead(sql)).rev < wanted.rev) throw notCaughtUp()
      await follower.reach(wanted, catchUpMs)
    }
    const moment = follower.current()
    if (moment && isAsNew(moment, wanted)) return question.ofMemory(moment)
    return ofDatabase(undefined, {
      ...question,
      ofSnapshot: (snapshot) => {
        if (snapshot.rev < wanted.rev) throw notCaughtUp()
        return question.ofSnapshot(snapshot)
      },
    })
  }

  return async (consistency = { kind: 'minimizeLatency' }, question) => {
    if (consistency.kind === 'fullyConsistent')
      return follower.current() ? atLeast(await commitStore.readHead(sql), question) : ofDatabase(undefined, question)
    if (consistency.kind === 'atLeastAsFresh') return atLeast(await heldBy(consistency.token), question)
    if (consistency.kind === 'atExactSnapshot') {
      const wanted = await heldBy(consistency.token)
      const moment = follower.current()
      const isIt = moment?.rev === wanted.rev && isAsNew(moment, wanted)
      return isIt ? question.ofMemory(moment) : ofDatabase(wanted.rev, question)
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
  page: Omit<ReadPage, 'now'>,
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
