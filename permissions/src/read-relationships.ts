import type { Graph } from './graph.ts'
import type { Relationship, RelationshipFilter } from './relationship.ts'

/** A graph whose objects can be gone through. */
interface ListedGraph extends Graph {
  objects(): Iterable<number>
}

/** A relationship and the texts that it is ordered by. */
interface Row {
  key: readonly string[]
  relationship: Relationship
}

/** How many, after which, and at which moments, in milliseconds since 1970. */
export interface ReadPage {
  after?: Relationship
  limit: number
  /** Leaves out what has expired by then. */
  now?: number
  /** Only what runs out before that. */
  expiresBefore?: number
}

/** See `MemoryGraph.read`. Goes through no more than the filter leaves, and keeps no more than a page. */
export function readOrdered(
  graph: ListedGraph,
  filter: RelationshipFilter,
  { after, limit, now, expiresBefore }: ReadPage,
): Relationship[] {
  const page = new Page(limit, after && keyOf(after))
  for (const edge of candidates(graph, filter, page)) {
    const expiresAt = graph.conditionOf(edge)?.expiresAt
    if (now !== undefined && expiresAt !== undefined && expiresAt <= now) continue
    if (expiresBefore !== undefined && !(expiresAt !== undefined && expiresAt < expiresBefore)) continue
    const relationship = graph.relationshipOf(edge)
    if (fits(relationship, filter)) page.offer(relationship)
  }
  return page.relationships()
}

/** Compares what `MemoryGraph.read` orders by. */
export function compareRelationships(one: Relationship, other: Relationship): number {
  return compareKeys(keyOf(one), keyOf(other))
}

function* candidates(graph: ListedGraph, filter: RelationshipFilter, page: Page): Iterable<number> {
  const { resourceType, resourceId, resourceIdPrefix = '', subjectType, subjectId } = filter
  if (resourceType !== undefined && resourceId !== undefined) {
    yield* outOf(graph, graph.findObject(graph.names.find(resourceType), resourceId), filter)
  } else if (subjectType !== undefined && subjectId !== undefined) {
    yield* into(graph, graph.findObject(graph.names.find(subjectType), subjectId))
  } else {
    for (const object of graph.objects()) {
      const type = graph.names.nameOf(graph.objectType(object))
      if (resourceType !== undefined && type !== resourceType) continue
      const id = graph.objectId(object)
      if (id.startsWith(resourceIdPrefix) && page.wants(type, id)) yield* outOf(graph, object, filter)
    }
  }
}

/** Whatever can be told apart by numbers is left out here: among a million, each that is made a text of counts. */
function* outOf(graph: Graph, object: number, { relation, subjectType }: RelationshipFilter): Iterable<number> {
  if (object < 0) return
  const only = relation === undefined ? undefined : graph.names.find(relation)
  const type = subjectType === undefined ? undefined : graph.names.find(subjectType)
  const isWanted = (edge: number) =>
    type === undefined || graph.objectType(graph.pointObject(graph.edgeSubject(edge))) === type
  for (let number = only ?? 1; number < (only === undefined ? graph.names.size : only + 1); number++) {
    const point = graph.findPoint(object, number)
    if (point < 0) continue
    for (let edge = graph.firstObject(point); edge >= 0; edge = graph.nextOut(edge)) if (isWanted(edge)) yield edge
    for (let edge = graph.firstSet(point); edge >= 0; edge = graph.nextOut(edge)) if (isWanted(edge)) yield edge
  }
}

function* into(graph: Graph, object: number): Iterable<number> {
  if (object < 0) return
  for (let relation = 0; relation < graph.names.size; relation++) {
    const point = graph.findPoint(object, relation)
    if (point < 0) continue
    for (let edge = graph.firstIn(point); edge >= 0; edge = graph.nextIn(edge)) yield edge
  }
}

/** Whether a relationship is one of those that a filter asks for. */
export function fits({ resource, relation, subject }: Relationship, filter: RelationshipFilter): boolean {
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

function compareKeys(one: readonly string[], other: readonly string[]): number {
  for (const [index, text] of one.entries()) {
    const against = other[index] ?? ''
    if (text !== against) return text < against ? -1 : 1
  }
  return 0
}

/** The smallest so many of what is offered: sorted now and then, cut to the limit, and closed to what lies beyond. */
class Page {
  readonly #limit: number
  readonly #after: readonly string[] | undefined
  #rows: Row[] = []
  #last: readonly string[] | undefined

  constructor(limit: number, after: readonly string[] | undefined) {
    this.#limit = limit
    this.#after = after
  }

  /** Whether anything of this resource can still come onto the page. */
  wants(type: string, id: string): boolean {
    const key = [type, id]
    if (this.#after && compareKeys(key, this.#after.slice(0, 2)) < 0) return false
    return this.#last === undefined || compareKeys(key, this.#last.slice(0, 2)) <= 0
  }

  offer(relationship: Relationship): void {
    const key = keyOf(relationship)
    if (this.#after && compareKeys(key, this.#after) <= 0) return
    if (this.#last && compareKeys(key, this.#last) > 0) return
    this.#rows.push({ key, relationship })
    if (this.#rows.length >= this.#limit * 2 + 64) this.#cut()
  }

  relationships(): Relationship[] {
    this.#cut()
    return this.#rows.map(({ relationship }) => relationship)
  }

  #cut(): void {
    this.#rows.sort((one, other) => compareKeys(one.key, other.key))
    if (this.#rows.length <= this.#limit) return
    this.#rows.length = this.#limit
    this.#last = this.#rows.at(-1)?.key
  }
}
