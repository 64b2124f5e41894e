import {
  type CheckRequest,
  collectLeaves,
  type ExpandRequest,
  type LookupResourcesRequest,
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

/** A permission of a resource; with a subject, as in a check, only relationships relevant to that subject matter. */
type ResourceRequest = ExpandRequest & Partial<Pick<CheckRequest, 'subject'>>

/** The database at a revision. */
export interface Snapshot {
  schema: Schema
  epoch: string
  rev: number
  /** Fetches the relationships that the evaluation of a permission depends on. Throws `graph-too-large`. */
  fetchFrom: (request: ResourceRequest) => Promise<MemoryGraph>
  /** Fetches the relationships that a lookup of resources depends on. Throws `graph-too-large`. */
  fetchTowards: (request: LookupResourcesRequest) => Promise<MemoryGraph>
  read: (filter: RelationshipFilter, page: Omit<ReadPage, 'now'>) => Promise<Relationship[]>
}

/** The maximum number of relationships fetched for a request. */
const maxRows = 200_000

/**
 * Evaluates a request in a snapshot of the database, at a revision or the newest one. Throws `snapshot-gone` beyond the
 * retention period, and `not-caught-up` for a future revision.
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

/** Creates the error for a revision that this process, or the database, does not have. */
export const notCaughtUp = () =>
  new PermissionError('not-caught-up', 'This server has not reached this revision yet.', 'consistency.token')

function createReaders(sql: Sql, schema: Schema, at: number | null, upTo: number) {
  const toTraversal = (type: string, name: string) => {
    // One more than allowed, to detect an excess.
    return { ...findContributingRelations(schema, type, name), at, upTo: upTo + 1 }
  }
  const toGraph = (rows: Row[]) => {
    if (rows.length > upTo)
      throw new PermissionError('graph-too-large', `The result depends on more than ${upTo} relationships.`)
    const graph = new MemoryGraph()
    for (const row of rows) graph.add(toRelationship(row, row.terms))
    return graph
  }
  return {
    fetchFrom: async ({ resource, permission, subject }: ResourceRequest) =>
      toGraph(await store.readRowsFrom(sql, { ...resource, ...toTraversal(resource.type, permission) }, subject)),
    fetchTowards: async ({ resourceType, permission, subject: { type, id } }: LookupResourcesRequest) =>
      toGraph(await store.readRowsTowards(sql, { type, id, ...toTraversal(resourceType, permission) })),
    read: async (filter: RelationshipFilter, { after, ...page }: Omit<ReadPage, 'now'>) => {
      const rows = await store.readMatching(sql, filter, { ...page, at, after: after && toRow(after) })
      return rows.map((row) => toRelationship(row, row.terms))
    },
  }
}

/**
 * Returns the relations that can contribute to a relation or permission of a type, as `document#viewer`; `arrows` are
 * those on the left of an arrow.
 */
function findContributingRelations({ definitions }: Schema, type: string, name: string) {
  const relations = new Set<string>()
  const arrows = new Set<string>()
  const names = new Set([`${type}#${name}`])
  // Iterating a set also visits names added during the iteration.
  for (const qualifiedName of names) {
    const [type = '', name = ''] = qualifiedName.split('#')
    const definition = definitions.get(type)
    const relation = definition?.relations.get(name)
    if (relation) relations.add(qualifiedName)
    for (const allowed of relation?.allowed ?? [])
      if (allowed.relation) names.add(`${allowed.type}#${allowed.relation}`)
    const permission = definition?.permissions.get(name)
    for (const leaf of permission ? collectLeaves(permission.expression) : []) {
      if (leaf.kind === 'reference') names.add(`${type}#${leaf.name}`)
      if (leaf.kind !== 'arrow') continue
      const left = `${type}#${leaf.left}`
      relations.add(left)
      arrows.add(left)
      for (const allowed of definition?.relations.get(leaf.left)?.allowed ?? [])
        names.add(`${allowed.type}#${leaf.right}`)
    }
  }
  return { relations: [...relations], arrows: [...arrows] }
}
