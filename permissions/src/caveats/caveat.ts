import { type CelInput, celError, isCelError } from '@bufbuild/cel'
import { PermissionError } from '../error.ts'
import { Budget } from '../evaluate/budget.ts'
import { checkContextSize } from '../graph/context.ts'
import type { CaveatContext } from '../graph/relationship.ts'
import type { CaveatDeclaration, CaveatParameter, CaveatType } from '../schema/schema.ts'
import { readValue, WrongValue } from './caveat-context.ts'
import { computeResidual } from './caveat-residual.ts'
import { CelChecker } from './cel-checker.ts'
import { type CelExpression, collectNames, countNodes, parseExpression, renameOperators } from './cel-expression.ts'
import { type CelProgram, collectErrors, planExpression } from './cel-library.ts'
import { addMetering, runMetered } from './cel-meter.ts'
import { printCelType, toCelType } from './cel-types.ts'
import {
  CaveatError,
  type CaveatLanguage,
  type CaveatResult,
  type CompiledCaveat,
  ExpressionError,
} from './compiled-caveats.ts'
import { computeTraceResidual } from './trace-residual.ts'

type Bindings = Record<string, CelInput>

const trueResult: CaveatResult = Object.freeze({ result: 'true', missing: [] })
const falseResult: CaveatResult = Object.freeze({ result: 'false', missing: [] })

class Caveat implements CompiledCaveat {
  readonly declaration: CaveatDeclaration
  readonly #run: CelProgram
  /** The steps of an evaluation, without those for loops and for the size of values. */
  readonly #cost: number
  /** The placeholder of each parameter for a missing value. It propagates through an expression like an error. */
  readonly #placeholders: unknown[]

  constructor(declaration: CaveatDeclaration, run: CelProgram, parts: number) {
    this.declaration = declaration
    this.#run = run
    this.#cost = 10 + parts + declaration.parameters.length
    this.#placeholders = declaration.parameters.map(({ name }) => celError(`\`${name}\` is missing`))
  }

  check(context: CaveatContext, field: string, source: 'request' | 'relationship' = 'request'): void {
    const { name: caveat, parameters } = this.declaration
    checkContextSize(context, field, source, caveat)
    for (const parameter of parameters)
      if (hasValue(context, parameter.name)) readParameter(parameter, context, `${field}.`)
    if (source === 'request') return
    const unknown = Object.keys(context).find((key) => !parameters.some(({ name }) => name === key))
    if (unknown === undefined) return
    throw new PermissionError(
      'context-type',
      `The caveat \`${caveat}\` has no parameter \`${unknown}\`.`,
      `${field}.${unknown}`,
    )
  }

  evaluate(context: CaveatContext, relationshipContext?: CaveatContext, budget = new Budget()): CaveatResult {
    budget.spend(this.#cost)
    const result = runMetered(budget, () => this.#run(this.#bind(context, relationshipContext)))
    if (result === true) return trueResult
    if (result === false) return falseResult
    const errors = collectErrors(result)
    const missing = this.declaration.parameters.filter((_, index) => errors.has(this.#placeholders[index]))
    if (missing.length > 0) return { result: 'missing', missing: missing.map(({ name }) => name).sort() }
    const reason = isCelError(result) ? result.message : 'the result is not a boolean'
    const message = `The caveat \`${this.declaration.name}\` cannot be evaluated: ${reason}.`
    throw new PermissionError('caveat-failed', message, 'context')
  }

  computeResidual(
    context: CaveatContext,
    relationshipContext?: CaveatContext,
    budget = new Budget(),
  ): string | undefined {
    const { parameters, expression } = this.declaration
    const bound = this.#bind(context, relationshipContext)
    const known = parameters.filter(({ name }, index) => bound[name] !== this.#placeholders[index])
    const typeOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.type
    return computeResidual(expression, {
      budget,
      values: Object.fromEntries(known.map(({ name }) => [name, bound[name] as CelInput])),
      hasLiteral: (name) => {
        const type = typeOf(name)
        return type !== undefined && !containsType(type, 'ipaddress') && !containsType(type, 'uint')
      },
      isBool: (name) => typeOf(name)?.name === 'bool',
    })
  }

  #bind(context: CaveatContext, relationshipContext: CaveatContext | undefined): Bindings {
    const bindings: Bindings = Object.create(null)
    this.declaration.parameters.forEach((parameter, index) => {
      const { name } = parameter
      const source = relationshipContext && hasValue(relationshipContext, name) ? relationshipContext : context
      bindings[name] = hasValue(source, name)
        ? readParameter(parameter, source)
        : (this.#placeholders[index] as CelInput)
    })
    return bindings
  }
}

/**
 * Compiles a caveat. Throws `CaveatError` (`schema-invalid`) for an expression that is not valid CEL or not boolean,
 * has an unknown or unused parameter, or uses an unsupported feature.
 */
export function compileCaveat(declaration: CaveatDeclaration): CompiledCaveat {
  try {
    const { expr } = parseAndCheck(declaration)
    const parts = countNodes(expr)
    return new Caveat(declaration, planExpression(addMetering(renameOperators(expr))), parts)
  } catch (error) {
    if (error instanceof ExpressionError) throw new CaveatError(declaration.name, error.message, error.offset)
    if (error instanceof RangeError) throw new CaveatError(declaration.name, 'The expression is nested too deeply.')
    throw error
  }
}

function parseAndCheck({ parameters, expression: text }: CaveatDeclaration): { expr: CelExpression } {
  const source = parseExpression(text)
  const scope = new Map(parameters.map(({ name, type }) => [name, toCelType(type)]))
  const hasUint = parameters.some(({ type }) => containsType(type, 'uint'))
  const result = new CelChecker(source, text, hasUint).inferType(source.expr, scope)
  if (result.name !== 'bool')
    throw new ExpressionError(`The expression must be a bool, not ${printCelType(result)}.`, 0)
  const used = collectNames(source.expr)
  const unused = parameters.find(({ name }) => !used.has(name))
  if (unused) throw new ExpressionError(`The parameter \`${unused.name}\` is not used.`, 0)
  return source
}

function containsType(type: CaveatType, name: CaveatType['name']): boolean {
  return type.name === name || (type.of !== undefined && containsType(type.of, name))
}

function hasValue(context: CaveatContext, name: string): boolean {
  return Object.hasOwn(context, name) && context[name] !== undefined
}

function readParameter({ name, type }: CaveatParameter, context: CaveatContext, prefix = 'context.'): CelInput {
  try {
    return readValue(type, context[name])
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error
    throw new PermissionError('context-type', `\`${name}\` must be ${error.message}.`, prefix + name)
  }
}

/** The caveat language: SpiceDB's dialect of CEL. */
export const caveatLanguage: CaveatLanguage = { compile: compileCaveat, computeTraceResidual }
