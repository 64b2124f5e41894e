import { Budget } from './budget.ts'
import type { EvaluationOptions } from './check.ts'
import { CheckEvaluator, unreachable } from './check-evaluator.ts'
import { Conditions } from './conditions.ts'
import type { ResourcesPage, ResourcesQuestion } from './engine.ts'
import { defaultDepth } from './evaluator.ts'
import { findsCircle } from './find-circle.ts'
import type { Graph } from './graph.ts'
import { IdHeap } from './id-heap.ts'
import { Memo } from './memo.ts'
import { decodeCursor, encodeCursor } from './page-cursor.ts'
import { type PlanNode, planOf } from './plan.ts'
import { type Reached, ReverseWalk } from './reverse-walk.ts'
import type { Schema } from './schema.ts'
import { validateContext, validateNode, validateSubject } from './validate-question.ts'
import { has, no, type Verdict } from './verdicts.ts'

/**
 * Finds the objects of a type that a subject has a permission on, ordered by id, a page of them. Whatever the way there
 * does not make sure is checked. Circles count as no unless `cycles` is `error`. Throws a `PermissionFault` as `check`
 * does, and `cursor-mismatch`.
 */
export function lookupResources(
  schema: Schema,
  graph: Graph,
  question: ResourcesQuestion,
  { now, cycles = 'visited', maxDepth = defaultDepth, budget = new Budget() }: EvaluationOptions,
): Omit<ResourcesPage, 'lookedUpAt'> {
  const plan = planOf(schema, graph.names)
  validateContext(question.context)
  const node = validateNode(plan, question.resourceType, question.permission, 'resourceType')
  validateSubject(plan, question.subject)
  const { limit, cursor, ...asked } = question
  const after = cursor === undefined ? '' : decodeCursor(asked, cursor)
  const options = { now, cycles, maxDepth, budget }
  const evaluator = new CheckEvaluator(graph, plan, question, options, { memo: new Memo<Verdict>() })
  const conditions = new Conditions(graph, plan, evaluator.verdicts, { now, budget }, question.context)
  const reached = [...new ReverseWalk(graph, plan, conditions, { maxDepth, budget }).from(question.subject)]
  const hasCycle = findsCircle(graph, plan, reached, budget)
  if (hasCycle && cycles === 'error') throw unreachable(false)
  const candidates = new IdHeap(candidatesOf(graph, reached, node, question, after))
  const decide = ({ object, id }: Candidate) => {
    if (object >= 0) return evaluator.decideObject(node, object)
    return evaluator.decide(node, { type: question.resourceType, id })
  }
  const items: ResourcesPage['items'] = []
  let isMore = false
  for (let next = candidates.next(); next; next = candidates.next()) {
    const verdict = next.isSure ? has : decide(next)
    if (verdict === no) continue
    isMore = items.length === limit
    if (isMore) break
    const { missing } = evaluator.verdicts.told(verdict)
    items.push({ id: next.id, permissionship: verdict === has ? 'hasPermission' : 'conditional', missing })
  }
  const last = items.at(-1)
  return {
    items,
    ...(isMore && last && { cursor: encodeCursor(asked, last.id) }),
    hasCycle: hasCycle || evaluator.hasCycle,
    visited: reached.length + evaluator.visited,
  }
}

interface Candidate {
  /** -1 where it is in no relationship. */
  object: number
  id: string
  isSure: boolean
}

/** Of one node, after an id; the subject itself among them where it is of the type, for it may have what is its own. */
function candidatesOf(
  graph: Graph,
  reached: readonly Reached[],
  node: PlanNode,
  { subject, resourceType }: ResourcesQuestion,
  after: string,
): Candidate[] {
  const found: Candidate[] = []
  let isSubjectFound = subject.type !== resourceType || subject.id <= after
  for (const { object, node: of, isSure } of reached) {
    if (of !== node) continue
    const id = graph.objectId(object)
    if (id <= after) continue
    isSubjectFound ||= id === subject.id
    found.push({ object, id, isSure })
  }
  return isSubjectFound ? found : [...found, { object: -1, id: subject.id, isSure: false }]
}
