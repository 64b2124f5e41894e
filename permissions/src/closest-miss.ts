import { Budget } from './budget.ts'
import { check, type EvaluationOptions } from './check.ts'
import { CheckEvaluator, type Supposition } from './check-evaluator.ts'
import { Conditions } from './conditions.ts'
import type { CheckQuestion } from './engine.ts'
import { defaultDepth } from './evaluator.ts'
import type { Graph } from './graph.ts'
import { type Place, placesBelow } from './places.ts'
import { type PlanNode, planOf } from './plan.ts'
import type { Relationship, SubjectReference } from './relationship.ts'
import { ReverseWalk } from './reverse-walk.ts'
import type { Schema } from './schema.ts'
import type { Trace } from './trace.ts'
import { validateCheck } from './validate-question.ts'
import { has, Verdicts } from './verdicts.ts'

/** The one relationship whose being there, or not, would let the subject in. */
export interface ClosestMiss {
  operation: 'add' | 'remove'
  relationship: Relationship
}

/** So many suppositions are tried, and no more. */
const mostTried = 200

/**
 * What would turn a denial into a grant: one relationship, supposed and checked, never written. Undefined where the
 * question is not denied, or no single one would do.
 *
 * In this order: a ban to remove, nearest to the resource first; then the subject in a relation that allows it, without
 * caveat and expiration; then a set that the subject is already in. Among those, the one with the fewest asks from the
 * resource, or with `nearest: 'subject'` the most, such as a group that has it already; then in the order of the schema.
 * A link for an arrow to go along is never proposed: it would give more than what was asked for.
 */
export function closestMiss(
  schema: Schema,
  graph: Graph,
  question: CheckQuestion,
  {
    now,
    cycles = 'error',
    maxDepth = defaultDepth,
    budget = new Budget(),
    nearest = 'resource',
  }: EvaluationOptions & { nearest?: 'resource' | 'subject' },
): ClosestMiss | undefined {
  const plan = planOf(schema, graph.names)
  const node = validateCheck(plan, question)
  const options = { now, cycles, maxDepth, budget }
  const denied = check(schema, graph, question, { ...options, withTrace: true })
  if (denied.permissionship !== 'noPermission') return undefined
  let tries = mostTried
  const lets = (supposing: Supposition): boolean => {
    if (tries-- <= 0) return false
    const evaluator = new CheckEvaluator(graph, plan, question, options, { supposing })
    return evaluator.verdict(node, question.resource) === has
  }
  for (const relationship of denied.trace ? bansIn(denied.trace) : []) {
    if (lets({ removed: graph.findRelationship(relationship) })) return { operation: 'remove', relationship }
  }
  const conditions = new Conditions(graph, plan, new Verdicts(budget), { now, budget }, question.context)
  const places = placesBelow(graph, plan, conditions, node, question.resource, options)
  if (nearest === 'subject') places.reverse()
  const open = places.filter(({ resource, relation }) => lets({ added: { resource, relation: relation.name } }))
  const direct = open.find(({ relation }) => allows(relation, question.subject))
  if (direct) return { operation: 'add', relationship: placed(direct, question.subject) }
  const sets = [...new ReverseWalk(graph, plan, conditions, options).from(question.subject)].flatMap((reached) =>
    reached.isSure
      ? [{ type: reached.node.typeName, id: graph.objectId(reached.object), relation: reached.node.name }]
      : [],
  )
  for (const place of open) {
    budget.spend(sets.length)
    const set = sets.find((candidate) => allows(place.relation, candidate))
    if (set) return { operation: 'add', relationship: placed(place, set) }
  }
  return undefined
}

function placed({ resource, relation }: Place, subject: SubjectReference): Relationship {
  return { resource, relation: relation.name, subject }
}

function allows({ allowed }: PlanNode, { type, relation }: SubjectReference): boolean {
  return allowed.some(
    (subject) =>
      subject.type === type &&
      subject.relation === relation &&
      !subject.isWildcard &&
      subject.caveat === undefined &&
      !subject.hasExpiration,
  )
}

/** The relationships that count in what is subtracted, in the order of the trace. */
function bansIn(trace: Trace, isSubtracted = false): Relationship[] {
  const { step, permissionship, children } = trace
  const own =
    isSubtracted && step.kind === 'relationship' && permissionship !== 'noPermission' ? [step.relationship] : []
  const below = children.flatMap((child, index) =>
    bansIn(child, isSubtracted || (step.kind === 'exclusion' && index === 1)),
  )
  return [...own, ...below]
}
