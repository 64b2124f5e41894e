import type {
  FoundSubject,
  FoundVerdict,
  LookupResourcesRequest,
  LookupSubjectsRequest,
  ResourcesPage,
  SubjectsPage,
} from '../engine.ts'
import { PermissionError } from '../error.ts'
import { CheckEvaluator, createUnresolvedError } from '../evaluate/check-evaluator.ts'
import { createEvaluation, type EvaluationOptions } from '../evaluate/evaluation.ts'
import { Memo } from '../evaluate/memo.ts'
import type { PlanNode } from '../evaluate/plan.ts'
import {
  validateContext,
  validateNode,
  validateRelation,
  validateResource,
  validateSubject,
  validateType,
} from '../evaluate/validate-request.ts'
import { has, no, type Verdict, type Verdicts } from '../evaluate/verdicts.ts'
import type { Graph } from '../graph/graph.ts'
import type { Schema } from '../schema/schema.ts'
import { hasCycle, type Reached, ReverseWalk } from './reverse-walk.ts'
import type { SubjectSet } from './subject-set.ts'
import { SubjectsEvaluator } from './subjects-evaluator.ts'

/**
 * Returns a page of the objects of a type on which a subject has a permission, sorted by id. Checks the candidates of
 * the reverse walk that it does not prove. `cycles` is `visited` by default. Throws a `PermissionError` as `check`
 * does, and `cursor-mismatch`.
 */
export function lookupResources(
  schema: Schema,
  graph: Graph,
  request: LookupResourcesRequest,
  options: EvaluationOptions,
): Omit<ResourcesPage, 'lookedUpAt'> {
  const evaluation = createEvaluation(schema, graph, request.context, { cycles: 'visited', ...options })
  const { plan, cycles, verdicts } = evaluation
  validateContext(request.context)
  const node = validateNode(plan, request.resourceType, request.permission, 'resourceType')
  validateSubject(plan, request.subject)
  const { limit, cursor, ...boundRequest } = request
  const after = cursor === undefined ? '' : decodeCursor(boundRequest, cursor)
  const evaluator = new CheckEvaluator(evaluation, request.subject, new Memo<Verdict>())
  const reached = [...new ReverseWalk(evaluation).walkFrom(request.subject)]
  const isCyclic = hasCycle(evaluation, reached)
  if (isCyclic && cycles === 'error') throw createUnresolvedError(false)
  const candidates = new IdHeap(findCandidates(graph, reached, node, request, after))
  const decide = ({ object, id }: Candidate) => {
    if (object >= 0) return evaluator.decideObject(node, object)
    return evaluator.decide(node, { type: request.resourceType, id })
  }
  const items: ResourcesPage['items'] = []
  let hasMore = false
  for (let next = candidates.pop(); next; next = candidates.pop()) {
    const verdict = next.isProven ? has : decide(next)
    if (verdict === no) continue
    hasMore = items.length === limit
    if (hasMore) break
    items.push(toFoundVerdict(next.id, verdict, verdicts))
  }
  const last = items.at(-1)
  return {
    items,
    ...(hasMore && last && { cursor: encodeCursor(boundRequest, last.id) }),
    hasCycle: isCyclic || evaluator.hasCycle,
    visited: reached.length + evaluator.visited,
  }
}

interface Candidate {
  /** -1 for an object without relationships. */
  object: number
  id: string
  isProven: boolean
}

/**
 * Returns the candidates for one node with ids after `after`. They include a subject of this type, because it may have
 * permissions on itself.
 */
function findCandidates(
  graph: Graph,
  reached: readonly Reached[],
  node: PlanNode,
  { subject, resourceType }: LookupResourcesRequest,
  after: string,
): Candidate[] {
  const candidates: Candidate[] = []
  let isSubjectFound = subject.type !== resourceType || subject.id <= after
  for (const { object, node: reachedNode, isProven } of reached) {
    if (reachedNode !== node) continue
    const id = graph.objectId(object)
    if (id <= after) continue
    isSubjectFound ||= id === subject.id
    candidates.push({ object, id, isProven })
  }
  return isSubjectFound ? candidates : [...candidates, { object: -1, id: subject.id, isProven: false }]
}

/**
 * Returns a page of the subjects of a type, or of a relation of it, that have a permission on an object: first `*` with
 * its excluded subjects, then the others by id. `cycles` is `visited` by default. Throws a `PermissionError` as `check`
 * does, and `cursor-mismatch`.
 */
export function lookupSubjects(
  schema: Schema,
  graph: Graph,
  request: LookupSubjectsRequest,
  options: EvaluationOptions,
): Omit<SubjectsPage, 'lookedUpAt'> {
  const evaluation = createEvaluation(schema, graph, request.context, { cycles: 'visited', ...options })
  const { plan, verdicts } = evaluation
  const { resource, permission, subjectType, subjectRelation } = request
  validateContext(request.context)
  const node = validateResource(plan, resource, permission)
  validateType(plan, subjectType, 'subjectType')
  if (subjectRelation) validateRelation(plan, subjectType, subjectRelation, 'subjectRelation')
  const { limit, cursor, ...boundRequest } = request
  const after = cursor === undefined ? undefined : decodeCursor(boundRequest, cursor)
  const evaluator = new SubjectsEvaluator(evaluation, request)
  const set = evaluator.find(node, resource)
  const items: FoundSubject[] = []
  if (after === undefined && set.wildcard !== no && request.wildcards !== 'exclude')
    items.push(toFoundWildcard(set, verdicts))
  const ids = [...set.found.keys()].filter((id) => after === undefined || after === '*' || id > after).sort()
  const remaining = limit - items.length
  for (const id of ids.slice(0, remaining))
    items.push({ ...toFoundVerdict(id, set.found.get(id) ?? no, verdicts), excluded: [] })
  const last = items.at(-1)
  return {
    items,
    ...(ids.length > remaining && last && { cursor: encodeCursor(boundRequest, last.id) }),
    hasCycle: evaluator.hasCycle,
    visited: evaluator.visited,
  }
}

function toFoundWildcard({ wildcard, excluded }: SubjectSet, verdicts: Verdicts): FoundSubject {
  const ids = [...excluded.keys()].sort()
  return {
    ...toFoundVerdict('*', wildcard, verdicts),
    excluded: ids.map((id) => toFoundVerdict(id, excluded.get(id) ?? no, verdicts)),
  }
}

function toFoundVerdict(id: string, verdict: Verdict, verdicts: Verdicts): FoundVerdict {
  const { missing } = verdicts.toVerdict(verdict)
  return { id, permissionship: verdict === has ? 'hasPermission' : 'conditional', missing }
}

/** Encodes a keyset cursor: in base64url, a hash of the request and the last id of the page. */
function encodeCursor(request: unknown, lastId: string): string {
  return btoa(`${hashText(serialise(request))}.${lastId}`)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/**
 * Returns the last id of the previous page. Throws `cursor-mismatch` for a malformed cursor or one of another request.
 */
function decodeCursor(request: unknown, cursor: string): string {
  const [, requestHash, lastId] = /^([0-9a-z]+)\.(.*)$/.exec(decodeBase64(cursor)) ?? []
  if (lastId !== undefined && requestHash === hashText(serialise(request))) return lastId
  throw new PermissionError('cursor-mismatch', 'The cursor belongs to a different request.', 'cursor')
}

/** Serialises a request regardless of the order of members, which JSON does not define. */
const serialise = (request: unknown): string =>
  JSON.stringify(request, (_name, value: unknown) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))),
  )

function decodeBase64(cursor: string): string {
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

/** Hashes a text to 64 bits, by FNV-1a with two seeds. */
function hashText(text: string): string {
  const fnv1a = (seed: number) => {
    let mixed = seed
    for (let index = 0; index < text.length; index++) mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193)
    return (mixed >>> 0).toString(36).padStart(7, '0')
  }
  return fnv1a(0x811c9dc5) + fnv1a(0x2f1a7e03)
}

/** A min-heap by id. Building it takes linear time, so a page of many candidates needs no full sort. */
class IdHeap<T extends { id: string }> {
  readonly #items: T[]

  constructor(items: T[]) {
    this.#items = items
    for (let index = (items.length >> 1) - 1; index >= 0; index--) this.#siftDown(index)
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last && items.length > 0) {
      items[0] = last
      this.#siftDown(0)
    }
    return first
  }

  #siftDown(start: number): void {
    const items = this.#items
    const item = items[start] as T
    let index = start
    for (;;) {
      let child = 2 * index + 1
      if (child >= items.length) break
      if (child + 1 < items.length && (items[child + 1] as T).id < (items[child] as T).id) child++
      if (item.id <= (items[child] as T).id) break
      items[index] = items[child] as T
      index = child
    }
    items[index] = item
  }
}
