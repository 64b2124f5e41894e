import { type CelInput, celError, isCelError } from '@bufbuild/cel'
import { Budget } from './budget.ts'
import { readValue, WrongValue } from './caveat-context.ts'
import { CaveatFault, ExpressionFault } from './caveat-fault.ts'
import { residualOf } from './caveat-residual.ts'
import { CelChecker } from './cel-checker.ts'
import { type CelExpression, namesIn, parseExpression, sizeOf, withOurNames } from './cel-expression.ts'
import { type CelProgram, errorsIn, planExpression } from './cel-library.ts'
import { metered, metering } from './cel-meter.ts'
import { describeTerm, termOf } from './cel-types.ts'
import { checkContextSize } from './context-size.ts'
import { PermissionFault } from './fault.ts'
import type { CaveatContext } from './relationship.ts'
import type { CaveatDeclaration, CaveatParameter, CaveatType } from './schema.ts'

export interface CaveatResult {
  result: 'true' | 'false' | 'missing'
  /** Sorted names of parameters that nobody gave and that decide. */
  missing: string[]
}

type Bindings = Record<string, CelInput>

const isTrue: CaveatResult = Object.freeze({ result: 'true', missing: [] })
const isFalse: CaveatResult = Object.freeze({ result: 'false', missing: [] })

/** A caveat that was found sound, made to be asked many times. `compileCaveat` makes it. */
export class Caveat {
  readonly declaration: CaveatDeclaration
  readonly #run: CelProgram
  /** In steps, without its loops and what goes by the size of values. */
  readonly #cost: number
  /** Stands for the value of a parameter that is missing, and goes through an expression as an error does. */
  readonly #gaps: unknown[]

  constructor(declaration: CaveatDeclaration, run: CelProgram, parts: number) {
    this.declaration = declaration
    this.#run = run
    this.#cost = 10 + parts + declaration.parameters.length
    this.#gaps = declaration.parameters.map(({ name }) => celError(`\`${name}\` is missing`))
  }

  /**
   * Throws `context-type` for a value that its parameter cannot be, and `context-too-large`. Names of no parameter do
   * not matter with a request, which may be about several caveats; with a relationship they are `context-type`.
   */
  check(context: CaveatContext, field: string, of: 'request' | 'relationship' = 'request'): void {
    const { name: caveat, parameters } = this.declaration
    checkContextSize(context, field, of, caveat)
    for (const parameter of parameters) if (isGiven(context, parameter.name)) read(parameter, context, `${field}.`)
    if (of === 'request') return
    const unknown = Object.keys(context).find((key) => !parameters.some(({ name }) => name === key))
    if (unknown === undefined) return
    throw new PermissionFault(
      'context-type',
      `The caveat \`${caveat}\` has no parameter \`${unknown}\`.`,
      `${field}.${unknown}`,
    )
  }

  /**
   * Whether it holds. Values of the relationship win over those of the request. Throws `context-type` as `check` does,
   * `caveat-failed` where the expression cannot be worked out, such as a division by zero that decides, and
   * `too-much-work`.
   */
  evaluate(context: CaveatContext, ofRelationship?: CaveatContext, budget = new Budget()): CaveatResult {
    budget.spend(this.#cost)
    const result = metered(budget, () => this.#run(this.#bind(context, ofRelationship)))
    if (result === true) return isTrue
    if (result === false) return isFalse
    const errors = errorsIn(result)
    const missing = this.declaration.parameters.filter((_, index) => errors.has(this.#gaps[index]))
    if (missing.length > 0) return { result: 'missing', missing: missing.map(({ name }) => name).sort() }
    const reason = isCelError(result) ? result.message : 'it is neither true nor false'
    const message = `The caveat \`${this.declaration.name}\` cannot be worked out: ${reason}.`
    throw new PermissionFault('caveat-failed', message, 'context')
  }

  /**
   * What is left of the expression once the values that are known are put in: with `day` known, of `day == "fri" &&
   * level >= 3` it is `level >= 3`. Known addresses and uints stay by their names, which CEL cannot write. Undefined
   * where it would be too long. Throws `context-type` as `check` does, and `too-much-work`.
   */
  residual(context: CaveatContext, ofRelationship?: CaveatContext, budget = new Budget()): string | undefined {
    const { parameters, expression } = this.declaration
    const bound = this.#bind(context, ofRelationship)
    const known = parameters.filter(({ name }, index) => bound[name] !== this.#gaps[index])
    const ofType = (name: string) => parameters.find((parameter) => parameter.name === name)?.type
    return residualOf(expression, {
      budget,
      values: Object.fromEntries(known.map(({ name }) => [name, bound[name] as CelInput])),
      isWritable: (name) => {
        const type = ofType(name)
        return type !== undefined && !isOf(type, 'ipaddress') && !isOf(type, 'uint')
      },
      isBool: (name) => ofType(name)?.name === 'bool',
    })
  }

  #bind(context: CaveatContext, ofRelationship: CaveatContext | undefined): Bindings {
    const bindings: Bindings = Object.create(null)
    this.declaration.parameters.forEach((parameter, index) => {
      const { name } = parameter
      const source = ofRelationship && isGiven(ofRelationship, name) ? ofRelationship : context
      bindings[name] = isGiven(source, name) ? read(parameter, source) : (this.#gaps[index] as CelInput)
    })
    return bindings
  }
}

/**
 * Makes a caveat ready to be asked. Throws `CaveatFault`, which is `schema-invalid`, for an expression that is no CEL or
 * not boolean, that uses what is no parameter, leaves a parameter unused, or uses what is not supported.
 */
export function compileCaveat(declaration: CaveatDeclaration): Caveat {
  try {
    const { expr } = parseSound(declaration)
    const parts = sizeOf(expr)
    return new Caveat(declaration, planExpression(metering(withOurNames(expr))), parts)
  } catch (error) {
    if (error instanceof ExpressionFault) throw new CaveatFault(declaration.name, error.message, error.offset)
    if (error instanceof RangeError) throw new CaveatFault(declaration.name, 'It is too deep.')
    throw error
  }
}

function parseSound({ parameters, expression: text }: CaveatDeclaration): { expr: CelExpression } {
  const source = parseExpression(text)
  const scope = new Map(parameters.map(({ name, type }) => [name, termOf(type)]))
  const hasUint = parameters.some(({ type }) => isOf(type, 'uint'))
  const result = new CelChecker(source, text, hasUint).typeOf(source.expr, scope)
  if (result.name !== 'bool') throw new ExpressionFault(`It must be a bool; it is ${describeTerm(result)}.`, 0)
  const used = namesIn(source.expr)
  const unused = parameters.find(({ name }) => !used.has(name))
  if (unused) throw new ExpressionFault(`Its parameter \`${unused.name}\` is not used.`, 0)
  return source
}

function isOf(type: CaveatType, name: CaveatType['name']): boolean {
  return type.name === name || (type.of !== undefined && isOf(type.of, name))
}

function isGiven(context: CaveatContext, name: string): boolean {
  return Object.hasOwn(context, name) && context[name] !== undefined
}

function read({ name, type }: CaveatParameter, context: CaveatContext, prefix = 'context.'): CelInput {
  try {
    return readValue(type, context[name])
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error
    throw new PermissionFault('context-type', `\`${name}\` wants ${error.message}.`, prefix + name)
  }
}
