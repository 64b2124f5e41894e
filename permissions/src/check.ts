import { Budget } from './budget.ts'
import { CheckEvaluator } from './check-evaluator.ts'
import { residualOfTrace } from './compiled-caveats.ts'
import type { CheckQuestion, CheckVerdict } from './engine.ts'
import { type Cycles, defaultDepth } from './evaluator.ts'
import type { Graph } from './graph.ts'
import { planOf } from './plan.ts'
import { type Reason, reasonOf } from './reason.ts'
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

export interface CheckOptions extends EvaluationOptions {
  withTrace?: boolean
  /** Of a conditional answer, which is worked out anew for it where there is no trace: what is left to be found out. */
  withResidual?: boolean
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
    withResidual = false,
  }: CheckOptions,
): CheckVerdict & { residual?: string; reason?: Reason; trace?: Trace; hasCycle: boolean } {
  const plan = planOf(schema, graph.names)
  const node = validateCheck(plan, question)
  const answer = (isTraced: boolean) => {
    const evaluator = new CheckEvaluator(graph, plan, question, { now, cycles, maxDepth, budget })
    const tracer = isTraced ? evaluator.traced(question.resource) : undefined
    const verdict = evaluator.verdicts.told(evaluator.decide(node, question.resource))
    return { verdict, hasCycle: evaluator.hasCycle, trace: tracer?.trace }
  }
  const { verdict, hasCycle, trace } = answer(withTrace)
  const isLeft = withResidual && verdict.permissionship === 'conditional'
  const rest = isLeft ? (trace ?? answer(true).trace) : undefined
  const residual = rest && residualOfTrace(rest)
  const reason = withTrace ? reasonIn(trace) : undefined
  return {
    ...verdict,
    hasCycle,
    ...(residual !== undefined && { residual }),
    ...(reason && { reason }),
    ...(trace && { trace }),
  }
}

/** What is asked about itself needs no looking at. */
const reasonIn = (trace: Trace | undefined): Reason | undefined => (trace ? reasonOf(trace) : 'itself')
