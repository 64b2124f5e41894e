import type { FoundSubject, SubjectsPage, SubjectsQuestion } from '../engine.ts'
import { Budget } from '../evaluate/budget.ts'
import type { EvaluationOptions } from '../evaluate/check.ts'
import { Conditions } from '../evaluate/conditions.ts'
import { defaultDepth } from '../evaluate/evaluator.ts'
import { getPlan } from '../evaluate/plan.ts'
import { validateContext, validateRelation, validateResource, validateType } from '../evaluate/validate-question.ts'
import { has, no, type Verdict, Verdicts } from '../evaluate/verdicts.ts'
import type { Graph } from '../graph/graph.ts'
import type { Schema } from '../schema/schema.ts'
import { decodeCursor, encodeCursor } from './page-cursor.ts'
import type { SubjectSet } from './subject-set.ts'
import { SubjectsEvaluator } from './subjects-evaluator.ts'

/**
 * Returns the subjects of a type, or of a relation of it, that have a permission on an object: `*` first with its
 * excluded subjects, then the others by id. Cycles count as no unless `cycles` is `error`. Throws a `PermissionFault`
 * as `check` does, and `cursor-mismatch`.
 */
export function lookupSubjects(
  schema: Schema,
  graph: Graph,
  question: SubjectsQuestion,
  { now, cycles = 'visited', maxDepth = defaultDepth, budget = new Budget() }: EvaluationOptions,
): Omit<SubjectsPage, 'lookedUpAt'> {
  const plan = getPlan(schema, graph.names)
  const { resource, permission, subjectType, subjectRelation } = question
  validateContext(question.context)
  const node = validateResource(plan, resource, permission)
  validateType(plan, subjectType, 'subjectType')
  if (subjectRelation) validateRelation(plan, subjectType, subjectRelation, 'subjectRelation')
  const { limit, cursor, ...boundQuestion } = question
  const after = cursor === undefined ? undefined : decodeCursor(boundQuestion, cursor)
  const verdicts = new Verdicts(budget)
  const conditions = new Conditions(graph, plan, verdicts, { now, budget }, question.context)
  const evaluator = new SubjectsEvaluator(graph, plan, conditions, verdicts, question, { cycles, maxDepth, budget })
  const set = evaluator.find(node, resource)
  const items: FoundSubject[] = []
  if (after === undefined && set.wildcard !== no && question.wildcards !== 'exclude')
    items.push(toFoundWildcard(set, verdicts))
  const ids = [...set.found.keys()].filter((id) => after === undefined || after === '*' || id > after).sort()
  const remaining = limit - items.length
  for (const id of ids.slice(0, remaining))
    items.push({ ...toFoundSubject(id, set.found.get(id) ?? no, verdicts), excluded: [] })
  const last = items.at(-1)
  return {
    items,
    ...(ids.length > remaining && last && { cursor: encodeCursor(boundQuestion, last.id) }),
    hasCycle: evaluator.hasCycle,
    visited: evaluator.visited,
  }
}

function toFoundWildcard({ wildcard, excluded }: SubjectSet, verdicts: Verdicts): FoundSubject {
  const ids = [...excluded.keys()].sort()
  return {
    ...toFoundSubject('*', wildcard, verdicts),
    excluded: ids.map((id) => toFoundSubject(id, excluded.get(id) ?? no, verdicts)),
  }
}

function toFoundSubject(id: string, verdict: Verdict, verdicts: Verdicts): Omit<FoundSubject, 'excluded'> {
  const { missing } = verdicts.toVerdict(verdict)
  return { id, permissionship: verdict === has ? 'hasPermission' : 'conditional', missing }
}
