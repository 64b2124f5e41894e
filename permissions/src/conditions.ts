import { type Caveat, compileCaveat } from './caveat.ts'
import { PermissionFault } from './fault.ts'
import type { Condition, Graph } from './graph.ts'
import type { Plan } from './plan.ts'
import type { CaveatContext } from './relationship.ts'
import type { CaveatDeclaration } from './schema.ts'
import type { Trace } from './trace.ts'
import { has, no, type Verdict, type Verdicts } from './verdicts.ts'

const compiled = new WeakMap<CaveatDeclaration, Caveat>()

/** Whether relationships count at a moment, with what was told of the parameters of their caveats. */
export class Conditions {
  readonly #graph: Graph
  readonly #plan: Plan
  readonly #verdicts: Verdicts
  readonly #now: number
  readonly #context: CaveatContext
  readonly #known = new Map<number, Verdict>()

  constructor(graph: Graph, plan: Plan, verdicts: Verdicts, now: number, context: CaveatContext = {}) {
    this.#graph = graph
    this.#plan = plan
    this.#verdicts = verdicts
    this.#now = now
    this.#context = context
  }

  of(edge: number): Verdict {
    const condition = this.#graph.conditionOf(edge)
    if (condition === undefined) return has
    if (this.isExpired(edge)) return no
    if (condition.caveat === undefined) return has
    const known = this.#known.get(edge)
    if (known !== undefined) return known
    const verdict = this.#verdict(this.#evaluate(condition.caveat))
    this.#known.set(edge, verdict)
    return verdict
  }

  isExpired(edge: number): boolean {
    const expiresAt = this.#graph.conditionOf(edge)?.expiresAt
    return expiresAt !== undefined && expiresAt <= this.#now
  }

  /** For a trace: how the caveat of an edge came out, and with which values. */
  explain(edge: number): Trace['caveat'] {
    const caveat = this.#graph.conditionOf(edge)?.caveat
    if (!caveat) return undefined
    const { declaration, values, result, missing } = this.#evaluate(caveat)
    const context = this.#valuesOf(declaration, values)
    return { name: declaration.name, expression: declaration.expression, context, result, missing }
  }

  /** The context of the relationship wins over that of the question. */
  #evaluate({ name, context = {} }: NonNullable<Condition['caveat']>) {
    const declaration = this.#plan.schema.caveats.get(name)
    if (!declaration) throw new PermissionFault('unknown-caveat', `There is no caveat ${name}.`)
    return { declaration, values: context, ...caveatOf(declaration).evaluate(this.#context, context) }
  }

  #valuesOf({ parameters }: CaveatDeclaration, ofRelationship: CaveatContext): CaveatContext {
    const values = { ...this.#context, ...ofRelationship }
    return Object.fromEntries(parameters.flatMap(({ name }) => (name in values ? [[name, values[name]]] : [])))
  }

  #verdict({ result, missing }: { result: 'true' | 'false' | 'missing'; missing: string[] }): Verdict {
    if (result === 'missing') return this.#verdicts.conditional(missing)
    return result === 'true' ? has : no
  }
}

function caveatOf(declaration: CaveatDeclaration): Caveat {
  let caveat = compiled.get(declaration)
  if (!caveat) {
    caveat = compileCaveat(declaration)
    compiled.set(declaration, caveat)
  }
  return caveat
}
