import type { Graph } from '../graph/graph.ts'
import type { CaveatContext } from '../graph/relationship.ts'
import type { Schema } from '../schema/schema.ts'
import { Budget } from './budget.ts'
import { Conditions } from './conditions.ts'
import { getPlan, type Plan } from './plan.ts'
import { Verdicts } from './verdicts.ts'

/**
 * The treatment of a result that depends on a cycle. `error` throws, as SpiceDB does. `visited` evaluates the cycle to
 * its least fixed point, except in a subtracted operand, where a missing permission would grant access.
 */
export type Cycles = 'error' | 'visited'

/** The maximum depth of nested goals, including the first. */
export const defaultDepth = 50

export interface EvaluationOptions {
  /** In Unix milliseconds. Relationships that expire at or before this time are ignored. */
  now: number
  cycles?: Cycles
  /** Default: 50. */
  maxDepth?: number
  /** The work budget; default `maxSteps`. Several requests may share one. */
  budget?: Budget
}

/** The state and limits of one evaluation, shared by the steps that it takes. */
export interface Evaluation {
  graph: Graph
  plan: Plan
  cycles: Cycles
  maxDepth: number
  budget: Budget
  verdicts: Verdicts
  conditions: Conditions
}

/** Starts an evaluation with the context of a request. */
export function createEvaluation(
  schema: Schema,
  graph: Graph,
  context: CaveatContext | undefined,
  { now, cycles = 'error', maxDepth = defaultDepth, budget = new Budget() }: EvaluationOptions,
): Evaluation {
  const plan = getPlan(schema, graph.names)
  const verdicts = new Verdicts(budget)
  const conditions = new Conditions(graph, plan, verdicts, { now, budget }, context)
  return { graph, plan, cycles, maxDepth, budget, verdicts, conditions }
}
