import type { ResourcesPage, ResourcesQuestion } from '../engine.ts'
import { Budget } from '../evaluate/budget.ts'
import type { EvaluationOptions } from '../evaluate/check.ts'
import { CheckEvaluator, unresolvedFault } from '../evaluate/check-evaluator.ts'
import { Conditions } from '../evaluate/conditions.ts'
import { defaultDepth } from '../evaluate/evaluator.ts'
import { Memo } from '../evaluate/memo.ts'
import { getPlan, type PlanNode } from '../evaluate/plan.ts'
import { validateContext, validateNode, validateSubject } from '../evaluate/validate-question.ts'
import { has, no, type Verdict } from '../evaluate/verdicts.ts'
import type { Graph } from '../graph/graph.ts'
import type { Schema } from '../schema/schema.ts'
import { hasCycle } from './has-cycle.ts'
import { IdHeap } from './id-heap.ts'
import { decodeCursor, encodeCursor } from './page-cursor.ts'
import { type Reached, ReverseWalk } from './reverse-walk.ts'

/**
 * Returns a page of the objects of a type that a subject has a permission on, sorted by id. Candidates that the reverse
 * walk does not prove are checked. Cycles count as no unless `cycles` is `error`. Throws a `PermissionFault` as `check`
 * does, and `cursor-mismatch`.
 */
export function lookupResources(
  schema: Schema,
  graph: Graph,
  question: ResourcesQuestion,
  { now, cycles = 'visited', maxDepth = defaultDepth, budget = new Budget() }: EvaluationOptions,
): Omit<ResourcesPage, 'lookedUpAt'> {
  const plan = getPlan(schema, graph.names)
  validateContext(question.context)
  const node = validateNode(plan, question.resourceType, question.permission, 'resourceType')
  validateSubject(plan, question.subject)
  const { limit, cursor, ...boundQuestion } = question
  const after = cursor === undefined ? '' : decodeCursor(boundQuestion, cursor)
  const options = { now, cycles, maxDepth, budget }
  const evaluator = new CheckEvaluator(graph, plan, question, options, { memo: new Memo<Verdict>() })
  const conditions = new Conditions(graph, plan, evaluator.verdicts, { now, budget }, question.context)
  const reached = [...new ReverseWalk(graph, plan, conditions, { maxDepth, budget }).from(question.subject)]
  const isCyclic = hasCycle(graph, plan, reached, budget)
  if (isCyclic && cycles === 'error') throw unresolvedFault(false)
  const candidates = new IdHeap(findCandidates(graph, reached, node, question, after))
  const decide = ({ object, id }: Candidate) => {
    if (object >= 0) return evaluator.decideObject(node, object)
    return evaluator.decide(node, { type: question.resourceType, id })
  }
  const items: ResourcesPage['items'] = []
  let hasMore = false
  for (let next = candidates.pop(); next; next = candidates.pop()) {
    const verdict = next.isProven ? has : decide(next)
    if (verdict === no) continue
    hasMore = items.length === limit
    if (hasMore) break
    const { missing } = evaluator.verdicts.toVerdict(verdict)
    items.push({ id: next.id, permissionship: verdict === has ? 'hasPermission' : 'conditional', missing })
  }
  const last = items.at(-1)
  return {
    items,
    ...(hasMore && last && { cursor: encodeCursor(boundQuestion, last.id) }),
    hasCycle: isCyclic || evaluator.hasCycle,
    visited: reached.length + evaluator.visited,
  }
}

interface Candidate {
  /** -1 if it is in no relationship. */
  object: number
  id: string
  isProven: boolean
}

/**
 * The candidates of one node after an id. They include the subject if it has this type, because it may have permissions
 * on itself.
 */
function findCandidates(
  graph: Graph,
  reached: readonly Reached[],
  node: PlanNode,
  { subject, resourceType }: ResourcesQuestion,
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
