import { computeTraceResidual } from '../caveats/compiled-caveats.ts'
import type { CheckRequest, CheckVerdict } from '../engine.ts'
import type { Graph } from '../graph/graph.ts'
import type { Schema } from '../schema/schema.ts'
import { Budget } from './budget.ts'
import { CheckEvaluator } from './check-evaluator.ts'
import { type Cycles, defaultDepth } from './evaluator.ts'
import { getPlan } from './plan.ts'
import { findReason, type Reason } from './reason.ts'
import type { Trace } from './trace.ts'
import { validateCheck } from './validate-request.ts'

export interface EvaluationOptions {
  /** In Unix milliseconds. Relationships that expire at or before this time are ignored. */
  now: number
  cycles?: Cycles
  /** Default: 50. */
  maxDepth?: number
  /** The work budget; default `maxSteps`. Several requests may share one. */
  budget?: Budget
}

export interface CheckOptions extends EvaluationOptions {
  withTrace?: boolean
  /** For a conditional answer: the residual expression. Without a trace, this evaluates the check again. */
  withResidual?: boolean
}

/**
 * Evaluates one check. Throws a `PermissionError`: `unknown-type`, `unknown-permission`, `unknown-relation`,
 * `malformed-id`, `wildcard-subject`, `context-type`; `depth-exceeded` or `cycle` if the result depends on it; and
 * `too-much-work`.
 */
export function check(
  schema: Schema,
  graph: Graph,
  request: CheckRequest,
  {
    now,
    cycles = 'error',
    maxDepth = defaultDepth,
    budget = new Budget(),
    withTrace = false,
    withResidual = false,
  }: CheckOptions,
): CheckVerdict & { residual?: string; reason?: Reason; trace?: Trace; hasCycle: boolean } {
  const plan = getPlan(schema, graph.names)
  const node = validateCheck(plan, request)
  const evaluate = (isTraced: boolean) => {
    const evaluator = new CheckEvaluator(graph, plan, request, { now, cycles, maxDepth, budget })
    const tracer = isTraced ? evaluator.startTrace(request.resource) : undefined
    const verdict = evaluator.verdicts.toVerdict(evaluator.decide(node, request.resource))
    return { verdict, hasCycle: evaluator.hasCycle, trace: tracer?.trace }
  }
  const { verdict, hasCycle, trace } = evaluate(withTrace)
  const needsResidual = withResidual && verdict.permissionship === 'conditional'
  const residualTrace = needsResidual ? (trace ?? evaluate(true).trace) : undefined
  const residual = residualTrace && computeTraceResidual(residualTrace)
  const reason = withTrace ? reasonOrItself(trace) : undefined
  return {
    ...verdict,
    hasCycle,
    ...(residual !== undefined && { residual }),
    ...(reason && { reason }),
    ...(trace && { trace }),
  }
}

/** A subject that is the resource itself leaves no trace. */
const reasonOrItself = (trace: Trace | undefined): Reason | undefined => (trace ? findReason(trace) : 'itself')
