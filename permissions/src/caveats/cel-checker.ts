import type { CelCall, CelConstant, CelExpression, CelLoop, CelSource } from './cel-expression.ts'
import { isPatternTooLarge } from './cel-patterns.ts'
import {
  type Bindings,
  type CelType,
  containsCelType,
  functions,
  isAssignable,
  joinTypes,
  methods,
  printCelType,
  resolveType,
  type Signature,
} from './cel-types.ts'
import { ExpressionError } from './compiled-caveats.ts'

export type Scope = ReadonlyMap<string, CelType>

/** The maximum nesting of loops, because the time of nested loops multiplies. */
const maxLoops = 2
const maxDepth = 200
const operators = /^[!_@-]/

/**
 * Checks the types of an expression as SpiceDB does, because the library that evaluates it has no checker. Throws
 * `ExpressionError` for a type error or an unsupported feature.
 */
export class CelChecker {
  readonly #source: CelSource
  readonly #text: string
  readonly #hasUint: boolean
  #loops = 0
  #depth = 0

  constructor(source: CelSource, text: string, hasUint: boolean) {
    this.#source = source
    this.#text = text
    this.#hasUint = hasUint
  }

  inferType(expression: CelExpression | undefined, scope: Scope): CelType {
    if (!expression) throw new ExpressionError('A part of the expression is missing.', 0)
    if (++this.#depth > maxDepth) this.#fail(expression, 'The expression is nested too deeply.')
    try {
      return this.#inferKind(expression, scope)
    } finally {
      this.#depth--
    }
  }

  #inferKind(expression: CelExpression, scope: Scope): CelType {
    const { exprKind: kind } = expression
    switch (kind.case) {
      case 'constExpr':
        return this.#inferConstant(expression, kind.value)
      case 'identExpr':
        return (
          scope.get(kind.value.name) ?? this.#fail(expression, `The parameter \`${kind.value.name}\` does not exist.`)
        )
      case 'selectExpr':
        return this.#inferSelect(expression, this.inferType(kind.value.operand, scope), kind.value.testOnly)
      case 'callExpr':
        return this.#inferCall(expression, kind.value, scope)
      case 'listExpr':
        return { name: 'list', of: this.#joinTypes(expression, kind.value.elements, scope) }
      case 'structExpr':
        return this.#inferMap(expression, kind.value, scope)
      case 'comprehensionExpr':
        return this.#inferLoop(expression, kind.value, scope)
      default:
        return this.#fail(expression, 'A part of the expression is invalid.')
    }
  }

  #inferConstant(expression: CelExpression, { constantKind: kind }: CelConstant): CelType {
    switch (kind.case) {
      case 'int64Value':
        if (BigInt.asIntN(64, kind.value) !== kind.value) this.#fail(expression, 'This number is too large for an int.')
        return { name: 'int' }
      case 'uint64Value':
        if (BigInt.asUintN(64, kind.value) !== kind.value)
          this.#fail(expression, 'This number is too large for a uint.')
        return { name: 'uint' }
      case 'doubleValue':
      case 'stringValue':
      case 'bytesValue':
      case 'boolValue':
      case 'nullValue':
        return { name: kind.case.replace('Value', '') }
      default:
        return this.#fail(expression, 'This value is not supported.')
    }
  }

  #inferSelect(expression: CelExpression, operand: CelType, isTest: boolean): CelType {
    if (operand.name !== 'dyn' && operand.name !== 'map') {
      this.#fail(expression, `A value of type ${printCelType(operand)} has no fields.`)
    }
    return isTest ? { name: 'bool' } : (operand.of ?? { name: 'dyn' })
  }

  #inferCall(expression: CelExpression, call: CelCall, scope: Scope): CelType {
    const signatures = (call.target ? methods : functions).get(call.function)
    if (!signatures) return this.#fail(expression, `${describeCall(call.function)} is not supported.`)
    const argumentTypes = [...(call.target ? [call.target] : []), ...call.args].map((part) =>
      this.inferType(part, scope),
    )
    this.#rejectDifferences(expression, call, argumentTypes)
    const results = signatures.flatMap((signature) => findResults(signature, argumentTypes))
    const [result] = results
    if (!result) {
      const types = argumentTypes.map(printCelType).join(', ')
      return this.#fail(expression, `${describeCall(call.function)} does not accept (${types}).`)
    }
    return results.every(({ name }) => name === result.name) ? result : { name: 'dyn' }
  }

  /** Rejects calls that always fail in SpiceDB, and those whose result there depends on the spelling of a value. */
  #rejectDifferences(expression: CelExpression, { function: name, args }: CelCall, argumentTypes: CelType[]): void {
    const [first] = argumentTypes
    if (this.#hasUint && first?.name === 'int' && ['int', 'uint', 'double', 'string'].includes(name)) {
      this.#fail(expression, `\`${name}()\` of an int is not supported with parameters of type uint.`)
    }
    const lastArgument = args.at(-1)?.exprKind
    const pattern = lastArgument?.case === 'constExpr' ? lastArgument.value.constantKind : undefined
    if (name === 'matches' && pattern?.case === 'stringValue' && isPatternTooLarge(pattern.value)) {
      this.#fail(expression, 'This pattern is too large.')
    }
    if (name === '_[_]' && first?.of?.name === 'none') this.#fail(expression, 'An empty list has no elements.')
    if (name === 'isSubtreeOf' && argumentTypes.some((term) => containsCelType(term, 'timestamp'))) {
      this.#fail(expression, '`isSubtreeOf` is not supported for timestamps.')
    }
    if (name === 'isSubtreeOf' && this.#text.includes('{')) {
      this.#fail(expression, '`isSubtreeOf` is supported only between parameters, not with map literals.')
    }
  }

  #joinTypes(expression: CelExpression, parts: (CelExpression | undefined)[], scope: Scope): CelType {
    const joined = joinTypes(parts.map((part) => this.inferType(part, scope)))
    return joined ?? this.#fail(expression, 'An ipaddress cannot be mixed with values of other types.')
  }

  #inferMap(expression: CelExpression, { messageName, entries }: StructValue, scope: Scope): CelType {
    if (messageName) this.#fail(expression, `\`${messageName}{}\` is not supported.`)
    const keys = entries.map(({ keyKind }) => (keyKind.case === 'mapKey' ? keyKind.value : undefined))
    const literalKeys = keys.flatMap((part) =>
      part?.exprKind.case === 'constExpr' ? [printConstantKey(part.exprKind.value)] : [],
    )
    // The library ignores a missing value in a key, and SpiceDB counts a parameter used only in a key as unused.
    if (literalKeys.length < keys.length) this.#fail(expression, 'Map keys must be literals.')
    if (new Set(literalKeys).size < literalKeys.length) this.#fail(expression, 'This map has a duplicate key.')
    const key = this.#joinTypes(expression, keys, scope)
    if (!['string', 'int', 'uint', 'bool', 'dyn', 'none'].includes(key.name)) {
      this.#fail(expression, `Map keys cannot be of type ${printCelType(key)}.`)
    }
    const values = entries.map(({ value }) => value)
    return { name: 'map', key, of: this.#joinTypes(expression, values, scope) }
  }

  #inferLoop(expression: CelExpression, loop: CelLoop, scope: Scope): CelType {
    // The library accepts this spelling of `exists_one`; SpiceDB does not.
    if (/\bexistsOne\b/.test(this.#text)) this.#fail(expression, '`existsOne` is not supported; write `exists_one`.')
    if (loop.iterVar2) this.#fail(expression, 'A macro with two variables is not supported.')
    if (scope.has(loop.iterVar)) this.#fail(expression, `The name \`${loop.iterVar}\` is already used.`)
    const rangeType = this.inferType(loop.iterRange, scope)
    if (!['list', 'map', 'dyn'].includes(rangeType.name)) {
      this.#fail(expression, `Values of type ${printCelType(rangeType)} cannot be iterated.`)
    }
    if (++this.#loops > maxLoops) this.#fail(expression, `More than ${maxLoops} nested loops are not supported.`)
    const item = rangeType.key ?? rangeType.of ?? { name: 'dyn' }
    const first = this.inferType(loop.accuInit, scope)
    const inner = new Map([...scope, [loop.iterVar, item], [loop.accuVar, first]])
    this.inferType(loop.loopCondition, inner)
    const step = this.inferType(loop.loopStep, inner)
    this.#loops--
    return this.inferType(loop.result, new Map([...scope, [loop.accuVar, step]]))
  }

  #fail(expression: CelExpression, message: string): never {
    const offset = this.#source.sourceInfo?.positions[String(expression.id)] ?? 0
    // The library includes the whitespace before an operator in its position.
    const blanks = /^\s*/.exec(this.#text.slice(offset))?.[0].length ?? 0
    throw new ExpressionError(message, offset + blanks)
  }
}

type StructValue = Extract<CelExpression['exprKind'], { case: 'structExpr' }>['value']

function printConstantKey({ constantKind: kind }: CelConstant): string {
  return `${kind.case === 'uint64Value' ? 'int64Value' : kind.case} ${kind.value}`
}

function findResults({ parameters, result }: Signature, argumentTypes: CelType[]): CelType[] {
  const bindings: Bindings = new Map()
  if (parameters.length !== argumentTypes.length) return []
  const fits = parameters.every((expected, index) =>
    isAssignable(expected, argumentTypes[index] ?? { name: 'dyn' }, bindings),
  )
  return fits ? [resolveType(result, bindings)] : []
}

function describeCall(name: string): string {
  const operator = name === '@in' ? 'in' : name.replaceAll('_', ' ').trim().replace('[ ]', '[]').replace('? :', '?:')
  return operators.test(name) ? `The operator \`${operator}\`` : `\`${name}()\``
}
