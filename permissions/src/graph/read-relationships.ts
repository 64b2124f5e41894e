import type { Graph } from './graph.ts'
import type { Relationship, RelationshipFilter } from './relationship.ts'

/** A graph that can list its objects. */
interface ListedGraph extends Graph {
  objects(): Iterable<number>
}

/** A relationship with its sort key. */
interface Row {
  key: readonly string[]
  relationship: Relationship
}

/** The page to read. Times are in Unix milliseconds. */
export interface ReadPage {
  /** The last relationship of the previous page: the keyset cursor. */
  after?: Relationship | undefined
  limit: number
  /** Excludes relationships that expire at or before this time. */
  now?: number
  /** Includes only relationships that expire before this time. */
  expiresBefore?: number | undefined
}

/**
 * Reads as `MemoryGraph.read` does. Visits only edges that may match the filter, and holds at most two pages and 64
 * rows.
 */
export function readOrdered(
  graph: ListedGraph,
  filter: RelationshipFilter,
  { after, limit, now, expiresBefore }: ReadPage,
): Relationship[] {
  const page = new Page(limit, after && keyOf(after))
  for (const edge of iterateCandidates(graph, filter, page)) {
    const expiresAt = graph.conditionOf(edge)?.expiresAt
    if (now !== undefined && expiresAt !== undefined && expiresAt <= now) continue
    if (expiresBefore !== undefined && !(expiresAt !== undefined && expiresAt < expiresBefore)) continue
    const relationship = graph.relationshipOf(edge)
    if (matchesFilter(relationship, filter)) page.offer(relationship)
  }
  return page.relationships()
}

/** Compares in the order of `MemoryGraph.read`. */
export function compareRelationships(left: Relationship, right: Relationship): number {
  return compareKeys(keyOf(left), keyOf(right))
}

function* iterateCandidates(graph: ListedGraph, filter: RelationshipFilter, page: Page): Iterable<number> {
  const { resourceType, resourceId, resourceIdPrefix = '', subjectType, subjectId } = filter
  if (resourceType !== undefined && resourceId !== undefined) {
    yield* iterateEdgesOfResource(graph, graph.findObject(graph.names.find(resourceType), resourceId), filter)
  } else if (subjectType !== undefined && subjectId !== undefined) {
    yield* iterateEdgesOfSubject(graph, graph.findObject(graph.names.find(subjectType), subjectId))
  } else {
    for (const object of graph.objects()) {
      const type = graph.names.nameOf(graph.objectType(object))
      if (resourceType !== undefined && type !== resourceType) continue
      const id = graph.objectId(object)
      if (id.startsWith(resourceIdPrefix) && page.canContain(type, id))
        yield* iterateEdgesOfResource(graph, object, filter)
    }
  }
}

/** Filters by numbers, because converting a million edges to text is slow. */
function* iterateEdgesOfResource(
  graph: Graph,
  object: number,
  { relation, subjectType }: RelationshipFilter,
): Iterable<number> {
  if (object < 0) return
  const onlyRelation = relation === undefined ? undefined : graph.names.find(relation)
  const type = subjectType === undefined ? undefined : graph.names.find(subjectType)
  const end = onlyRelation === undefined ? graph.names.size : onlyRelation + 1
  for (let number = onlyRelation ?? 1; number < end; number++) {
    const objectAndRelation = graph.findObjectAndRelation(object, number)
    if (objectAndRelation < 0) continue
    for (const first of [graph.firstObjectEdge(objectAndRelation), graph.firstUsersetEdge(objectAndRelation)])
      for (let edge = first; edge >= 0; edge = graph.nextOutEdge(edge))
        if (type === undefined || graph.objectType(graph.objectOf(graph.edgeSubject(edge))) === type) yield edge
  }
}

function* iterateEdgesOfSubject(graph: Graph, object: number): Iterable<number> {
  if (object < 0) return
  for (let relation = 0; relation < graph.names.size; relation++) {
    const objectAndRelation = graph.findObjectAndRelation(object, relation)
    if (objectAndRelation < 0) continue
    for (let edge = graph.firstInEdge(objectAndRelation); edge >= 0; edge = graph.nextInEdge(edge)) yield edge
  }
}

/** Reports whether a relationship matches a filter. */
export function matchesFilter({ resource, relation, subject }: Relationship, filter: RelationshipFilter): boolean {
  return (
    (filter.resourceType === undefined || filter.resourceType === resource.type) &&
    (filter.resourceId === undefined || filter.resourceId === resource.id) &&
    (filter.resourceIdPrefix === undefined || resource.id.startsWith(filter.resourceIdPrefix)) &&
    (filter.relation === undefined || filter.relation === relation) &&
    (filter.subjectType === undefined || filter.subjectType === subject.type) &&
    (filter.subjectId === undefined || filter.subjectId === subject.id) &&
    (filter.subjectRelation === undefined || filter.subjectRelation === (subject.relation ?? ''))
  )
}

function keyOf({ resource, relation, subject }: Relationship): string[] {
  return [resource.type, resource.id, relation, subject.type, subject.id, subject.relation ?? '']
}

function compareKeys(left: readonly string[], right: readonly string[]): number {
  for (const [index, text] of left.entries()) {
    const otherText = right[index] ?? ''
    if (text !== otherText) return text < otherText ? -1 : 1
  }
  return 0
}

/**
 * Collects the first rows after the cursor. Sorts and truncates them from time to time, and then rejects later rows.
 */
class Page {
  readonly #limit: number
  readonly #after: readonly string[] | undefined
  #rows: Row[] = []
  #last: readonly string[] | undefined

  constructor(limit: number, after: readonly string[] | undefined) {
    this.#limit = limit
    this.#after = after
  }

  /** Reports whether a row of this resource can still be on the page. */
  canContain(type: string, id: string): boolean {
    const key = [type, id]
    if (this.#after && compareKeys(key, this.#after.slice(0, 2)) < 0) return false
    return this.#last === undefined || compareKeys(key, this.#last.slice(0, 2)) <= 0
  }

  offer(relationship: Relationship): void {
    const key = keyOf(relationship)
    if (this.#after && compareKeys(key, this.#after) <= 0) return
    if (this.#last && compareKeys(key, this.#last) > 0) return
    this.#rows.push({ key, relationship })
    if (this.#rows.length >= this.#limit * 2 + 64) this.#truncate()
  }

  relationships(): Relationship[] {
    this.#truncate()
    return this.#rows.map(({ relationship }) => relationship)
  }

  #truncate(): void {
    this.#rows.sort((left, right) => compareKeys(left.key, right.key))
    if (this.#rows.length <= this.#limit) return
    this.#rows.length = this.#limit
    this.#last = this.#rows.at(-1)?.key
  }
}
