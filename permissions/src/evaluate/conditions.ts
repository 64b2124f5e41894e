import { type CaveatResult, compileCaveatOnce } from '../caveats/compiled-caveats.ts'
import { PermissionError } from '../error.ts'
import type { Graph } from '../graph/graph.ts'
import type { CaveatContext, RelationshipCaveat } from '../graph/relationship.ts'
import type { CaveatDeclaration } from '../schema/schema.ts'
import type { Budget } from './budget.ts'
import type { Plan } from './plan.ts'
import type { Trace } from './trace.ts'
import { has, no, type Verdict, type Verdicts } from './verdicts.ts'

/** Evaluates the caveats and expirations of relationships at a time, with the context of the request. */
export class Conditions {
  readonly #graph: Graph
  readonly #plan: Plan
  readonly #verdicts: Verdicts
  readonly #now: number
  readonly #budget: Budget
  readonly #context: CaveatContext
  readonly #cache = new Map<number, Verdict>()

  constructor(
    graph: Graph,
    plan: Plan,
    verdicts: Verdicts,
    { now, budget }: { now: number; budget: Budget },
    context: CaveatContext = {},
  ) {
    this.#graph = graph
    this.#plan = plan
    this.#verdicts = verdicts
    this.#now = now
    this.#budget = budget
    this.#context = context
  }

  evaluate(edge: number): Verdict {
    const condition = this.#graph.conditionOf(edge)
    if (condition === undefined) return has
    if (this.isExpired(edge)) return no
    if (condition.caveat === undefined) return has
    const cached = this.#cache.get(edge)
    if (cached !== undefined) return cached
    const verdict = this.#evaluateOrRecord(condition.caveat)
    this.#cache.set(edge, verdict)
    return verdict
  }

  #evaluateOrRecord(caveat: RelationshipCaveat): Verdict {
    try {
      return this.#toVerdict(this.#evaluate(caveat))
    } catch (error) {
      // The caveat did not fail: its evaluation was interrupted.
      if (this.#budget.isSpent) throw error
      return this.#verdicts.recordFailure(error as Error)
    }
  }

  isExpired(edge: number): boolean {
    const expiresAt = this.#graph.conditionOf(edge)?.expiresAt
    return expiresAt !== undefined && expiresAt <= this.#now
  }

  /** Returns the caveat of an edge for a trace: its expression, the known values and the result. */
  explain(edge: number): Trace['caveat'] {
    const caveat = this.#graph.conditionOf(edge)?.caveat
    if (!caveat) return undefined
    const declaration = this.#findDeclaration(caveat.name)
    const context = this.#selectValues(declaration, caveat.context ?? {})
    const outcome = this.#evaluateOrMissing(caveat)
    const residual =
      outcome.missing.length > 0
        ? compileCaveatOnce(declaration).computeResidual(this.#context, caveat.context, this.#budget)
        : undefined
    const { name, expression } = declaration
    return { name, expression, context, ...outcome, ...(residual !== undefined && { residual }) }
  }

  /** Like `#evaluate`, but returns `missing` without names for an evaluation error. */
  #evaluateOrMissing(caveat: RelationshipCaveat): CaveatResult {
    try {
      return this.#evaluate(caveat)
    } catch (error) {
      if (this.#budget.isSpent) throw error
      return { result: 'missing', missing: [] }
    }
  }

  #findDeclaration(name: string): CaveatDeclaration {
    const declaration = this.#plan.schema.caveats.get(name)
    if (!declaration) throw new PermissionError('unknown-caveat', `The caveat ${name} does not exist.`)
    return declaration
  }

  /** The context of the relationship overrides that of the request. */
  #evaluate({ name, context = {} }: RelationshipCaveat): CaveatResult {
    return compileCaveatOnce(this.#findDeclaration(name)).evaluate(this.#context, context, this.#budget)
  }

  #selectValues({ parameters }: CaveatDeclaration, relationshipContext: CaveatContext): CaveatContext {
    const values = { ...this.#context, ...relationshipContext }
    return Object.fromEntries(parameters.flatMap(({ name }) => (name in values ? [[name, values[name]]] : [])))
  }

  #toVerdict({ result, missing }: CaveatResult): Verdict {
    if (result === 'missing') return this.#verdicts.createConditional(missing)
    return result === 'true' ? has : no
  }
}
