import type { CheckQuestion, ExpandQuestion, ResourcesQuestion, SubjectsQuestion } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import type { ReadPage } from '@passport/permissions/read-relationships'
import type { Relationship, RelationshipFilter } from '@passport/permissions/relationship'
import type { Schema } from '@passport/permissions/schema'
import { type Sql, transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { relationsBehind } from './reach.ts'
import { type Row, relationshipOf, rowOf } from './rows.ts'
import type { Schemas } from './schemas.ts'
import * as store from './store.ts'

/** What the database held at a revision: for each question, the part of all relationships that it depends on. */
export interface Snapshot {
  schema: Schema
  epoch: string
  rev: number
  forCheck: (question: CheckQuestion) => Promise<MemoryGraph>
  forResources: (question: ResourcesQuestion) => Promise<MemoryGraph>
  forSubjects: (question: SubjectsQuestion) => Promise<MemoryGraph>
  forExpansion: (question: ExpandQuestion) => Promise<MemoryGraph>
  read: (filter: RelationshipFilter, page: Omit<ReadPage, 'now'>) => Promise<Relationship[]>
}

/** So many rows are fetched for one question. */
const maxRows = 200_000

/**
 * Asks the database itself, at a revision or at the newest one. Throws `snapshot-gone` for one that is forgotten,
 * `not-caught-up` for one that is not there, and `graph-too-large`.
 */
export function atSnapshot<T>(
  sql: Sql,
  schemas: Schemas,
  rev: number | undefined,
  ask: (snapshot: Snapshot) => Promise<T>,
  upTo = maxRows,
): Promise<T> {
  const body = async (sql: Sql) => {
    const head = await commitStore.readHead(sql)
    if (rev !== undefined && rev > head.rev) throw notCaughtUp()
    if (rev !== undefined && rev < head.horizon)
      throw new PermissionFault('snapshot-gone', 'What was at that moment is not kept any more.', 'consistency.token')
    const at = rev === undefined || rev === head.rev ? null : rev
    const schemaId = at === null ? head.schemaId : await commitStore.schemaIdAt(sql, at)
    const schema = await schemas.find(sql, schemaId)
    return ask({ schema, epoch: head.epoch, rev: rev ?? head.rev, ...reads(sql, schema, at, upTo) })
  }
  return transaction(sql, body, { isolation: 'repeatable read' })
}

export const notCaughtUp = () =>
  new PermissionFault('not-caught-up', 'This server does not know of that moment yet.', 'consistency.token')

function reads(sql: Sql, schema: Schema, at: number | null, upTo: number) {
  const limits = (type: string, name: string) => {
    const { relations, arrows } = relationsBehind(schema, type, name)
    // One more than may be, to know whether there are more.
    return { relations: [...relations], arrows: [...arrows], at, upTo: upTo + 1 }
  }
  const graphOf = (rows: Row[]) => {
    if (rows.length > upTo)
      throw new PermissionFault('graph-too-large', `The answer depends on more than ${upTo} relationships.`)
    const graph = new MemoryGraph()
    for (const row of rows) graph.add(relationshipOf(row, row.terms))
    return graph
  }
  const allFrom = async ({ resource, permission }: ExpandQuestion) =>
    graphOf(await store.rowsFrom(sql, { ...resource, ...limits(resource.type, permission) }, null))
  return {
    forCheck: async ({ resource, permission, subject }: CheckQuestion) =>
      graphOf(await store.rowsFrom(sql, { ...resource, ...limits(resource.type, permission) }, subject)),
    forSubjects: (question: SubjectsQuestion) => allFrom(question),
    forExpansion: allFrom,
    forResources: async ({ resourceType, permission, subject: { type, id } }: ResourcesQuestion) =>
      graphOf(await store.rowsTowards(sql, { type, id, ...limits(resourceType, permission) })),
    read: async (filter: RelationshipFilter, { after, ...page }: Omit<ReadPage, 'now'>) => {
      const rows = await store.readMatching(sql, filter, { ...page, at, ...(after && { after: rowOf(after) }) })
      return rows.map((row) => relationshipOf(row, row.terms))
    },
  }
}
