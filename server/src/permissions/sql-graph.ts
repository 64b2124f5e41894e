import {
  type CheckRequest,
  type ExpandRequest,
  type Expression,
  type LookupResourcesRequest,
  type LookupSubjectsRequest,
  MemoryGraph,
  PermissionError,
  type ReadPage,
  type Relationship,
  type RelationshipFilter,
  type Schema,
} from '@passport/permissions'
import { type Sql, transaction } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import type { SchemaCache } from './directory-schema.ts'
import { type Row, toRelationship, toRow } from './rows.ts'
import * as store from './store.ts'

/** The database at a revision: for each request, fetches the relationships it depends on. */
export interface Snapshot {
  schema: Schema
  epoch: string
  rev: number
  forCheck: (request: CheckRequest) => Promise<MemoryGraph>
  forResources: (request: LookupResourcesRequest) => Promise<MemoryGraph>
  forSubjects: (request: LookupSubjectsRequest) => Promise<MemoryGraph>
  forExpansion: (request: ExpandRequest) => Promise<MemoryGraph>
  read: (filter: RelationshipFilter, page: Omit<ReadPage, 'now'>) => Promise<Relationship[]>
}

/** The maximum number of rows per request. */
const maxRows = 200_000

/**
 * Answers from the database, at a revision or the newest one. Throws `snapshot-gone` beyond the retention period,
 * `not-caught-up` for a future revision, and `graph-too-large`.
 */
export function withSnapshot<T>(
  sql: Sql,
  schemas: SchemaCache,
  rev: number | undefined,
  evaluate: (snapshot: Snapshot) => Promise<T>,
  upTo = maxRows,
): Promise<T> {
  const body = async (sql: Sql) => {
    const head = await commitStore.readHead(sql)
    if (rev !== undefined && rev > head.rev) throw notCaughtUp()
    if (rev !== undefined && rev < head.horizon)
      throw new PermissionError('snapshot-gone', 'This revision is no longer available.', 'consistency.token')
    const at = rev === undefined || rev === head.rev ? null : rev
    const schemaId = at === null ? head.schemaId : await commitStore.findSchemaIdAt(sql, at)
    const schema = await schemas.find(sql, schemaId)
    return evaluate({ schema, epoch: head.epoch, rev: rev ?? head.rev, ...createReaders(sql, schema, at, upTo) })
  }
  return transaction(sql, body, { isolation: 'repeatable read' })
}

export const notCaughtUp = () =>
  new PermissionError('not-caught-up', 'This server has not reached this revision yet.', 'consistency.token')

function createReaders(sql: Sql, schema: Schema, at: number | null, upTo: number) {
  const toTraversal = (type: string, name: string) => {
    const { relations, arrows } = findContributingRelations(schema, type, name)
    // One more than allowed, to detect an excess.
    return { relations: [...relations], arrows: [...arrows], at, upTo: upTo + 1 }
  }
  const toGraph = (rows: Row[]) => {
    if (rows.length > upTo)
      throw new PermissionError('graph-too-large', `The result depends on more than ${upTo} relationships.`)
    const graph = new MemoryGraph()
    for (const row of rows) graph.add(toRelationship(row, row.terms))
    return graph
  }
  const fetchFrom = async ({ resource, permission }: ExpandRequest) =>
    toGraph(await store.readRowsFrom(sql, { ...resource, ...toTraversal(resource.type, permission) }, null))
  return {
    forCheck: async ({ resource, permission, subject }: CheckRequest) =>
      toGraph(await store.readRowsFrom(sql, { ...resource, ...toTraversal(resource.type, permission) }, subject)),
    forSubjects: (request: LookupSubjectsRequest) => fetchFrom(request),
    forExpansion: fetchFrom,
    forResources: async ({ resourceType, permission, subject: { type, id } }: LookupResourcesRequest) =>
      toGraph(await store.readRowsTowards(sql, { type, id, ...toTraversal(resourceType, permission) })),
    read: async (filter: RelationshipFilter, { after, ...page }: Omit<ReadPage, 'now'>) => {
      const rows = await store.readMatching(sql, filter, { ...page, at, ...(after && { after: toRow(after) }) })
      return rows.map((row) => toRelationship(row, row.terms))
    },
  }
}

/** The relations that a request can depend on, as `document#viewer`. */
interface ContributingRelations {
  relations: Set<string>
  /** Relations on the left of an arrow. */
  arrows: Set<string>
}

/** Returns the relations that can contribute to a relation or permission of a type. */
function findContributingRelations({ definitions }: Schema, type: string, name: string): ContributingRelations {
  const result: ContributingRelations = { relations: new Set(), arrows: new Set() }
  const visited = new Set<string>()

  function visitName(type: string, name: string) {
    const key = `${type}#${name}`
    if (visited.has(key)) return
    visited.add(key)
    const definition = definitions.get(type)
    const relation = definition?.relations.get(name)
    if (relation) result.relations.add(key)
    for (const allowed of relation?.allowed ?? []) if (allowed.relation) visitName(allowed.type, allowed.relation)
    const permission = definition?.permissions.get(name)
    if (permission) visitExpression(type, permission.expression)
  }

  function visitExpression(type: string, expression: Expression) {
    if (expression.kind === 'reference') visitName(type, expression.name)
    if (expression.kind === 'union' || expression.kind === 'intersection')
      for (const operand of expression.operands) visitExpression(type, operand)
    if (expression.kind === 'exclusion') {
      visitExpression(type, expression.base)
      visitExpression(type, expression.subtracted)
    }
    if (expression.kind !== 'arrow') return
    const left = `${type}#${expression.left}`
    result.relations.add(left)
    result.arrows.add(left)
    for (const allowed of definitions.get(type)?.relations.get(expression.left)?.allowed ?? [])
      visitName(allowed.type, expression.right)
  }

  visitName(type, name)
  return result
}
