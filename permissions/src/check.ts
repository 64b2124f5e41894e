import { Budget } from './budget.ts'
import { CheckEvaluator } from './check-evaluator.ts'
import type { CheckQuestion, CheckVerdict } from './engine.ts'
import { type Cycles, defaultDepth } from './evaluator.ts'
import type { Graph } from './graph.ts'
import { planOf } from './plan.ts'
import type { Schema } from './schema.ts'
import type { Trace } from './trace.ts'
import { validateCheck } from './validate-question.ts'

export interface EvaluationOptions {
  /** In milliseconds since 1970: what expires then or before is not there. */
  now: number
  cycles?: Cycles
  /** 50 unless told. */
  maxDepth?: number
  /** What may be looked at on the way; `maxSteps` unless told. Several questions may share one. */
  budget?: Budget
}

/**
 * Answers one question. Throws a `PermissionFault`: `unknown-type`, `unknown-permission`, `unknown-relation`,
 * `malformed-id`, `wildcard-subject`, `context-type`; `depth-exceeded` or `cycle` where nothing else decides,
 * and `too-much-work`.
 */
export function check(
  schema: Schema,
  graph: Graph,
  question: CheckQuestion,
  {
    now,
    cycles = 'error',
    maxDepth = defaultDepth,
    budget = new Budget(),
    withTrace = false,
  }: EvaluationOptions & { withTrace?: boolean },
): CheckVerdict & { trace?: Trace; hasCycle: boolean } {
  const plan = planOf(schema, graph.names)
  const node = validateCheck(plan, question)
  const evaluator = new CheckEvaluator(graph, plan, question, { now, cycles, maxDepth, budget })
  const tracer = withTrace ? evaluator.traced(question.resource) : undefined
  const verdict = evaluator.decide(node, question.resource)
  const trace = tracer?.trace
  return { ...evaluator.verdicts.told(verdict), hasCycle: evaluator.hasCycle, ...(trace && { trace }) }
}
