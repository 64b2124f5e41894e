import { computeTraceResidual } from '../caveats/compiled-caveats.ts'
import type { CheckRequest, CheckVerdict } from '../engine.ts'
import type { Graph } from '../graph/graph.ts'
import type { Schema } from '../schema/schema.ts'
import { Budget } from './budget.ts'
import { CheckEvaluator } from './check-evaluator.ts'
import { createEvaluation, type EvaluationOptions } from './evaluation.ts'
import { findReason, type Reason } from './reason.ts'
import type { Trace } from './trace.ts'
import { validateCheck } from './validate-request.ts'

export interface CheckOptions extends EvaluationOptions {
  withTrace?: boolean
  /** Returns the residual of a conditional result. Without a trace, this evaluates the check twice. */
  withResidual?: boolean
}

/**
 * Evaluates one check. Throws a `PermissionError`: `unknown-type`, `unknown-permission`, `unknown-relation`,
 * `malformed-…`, `wildcard-subject` or `context-too-large` for an invalid request; `depth-exceeded`, `cycle`,
 * `context-type` or `caveat-failed` if the result depends on it; and `too-much-work`.
 */
export function check(
  schema: Schema,
  graph: Graph,
  request: CheckRequest,
  { withTrace = false, withResidual = false, budget = new Budget(), ...options }: CheckOptions,
): CheckVerdict & { residual?: string; reason?: Reason; trace?: Trace; hasCycle: boolean } {
  const evaluate = (isTraced: boolean) => {
    const evaluation = createEvaluation(schema, graph, request.context, { ...options, budget })
    const node = validateCheck(evaluation.plan, request)
    const evaluator = new CheckEvaluator(evaluation, request.subject)
    const tracer = isTraced ? evaluator.startTrace(request.resource) : undefined
    const verdict = evaluation.verdicts.toVerdict(evaluator.decide(node, request.resource))
    return { verdict, hasCycle: evaluator.hasCycle, trace: tracer?.trace }
  }
  const { verdict, hasCycle, trace } = evaluate(withTrace)
  const needsResidual = withResidual && verdict.permissionship === 'conditional'
  const residualTrace = needsResidual ? (trace ?? evaluate(true).trace) : undefined
  const residual = residualTrace && computeTraceResidual(residualTrace)
  const reason = withTrace ? findReasonOrItself(trace) : undefined
  return {
    ...verdict,
    hasCycle,
    ...(residual !== undefined && { residual }),
    ...(reason && { reason }),
    ...(trace && { trace }),
  }
}

/** A subject that is the resource itself has no trace. */
const findReasonOrItself = (trace: Trace | undefined): Reason | undefined => (trace ? findReason(trace) : 'itself')
