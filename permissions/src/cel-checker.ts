import { ExpressionFault } from './caveat-fault.ts'
import type { CelCall, CelConstant, CelExpression, CelLoop, CelSource } from './cel-expression.ts'
import { functions, methods, type Signature } from './cel-functions.ts'
import { isPatternTooLarge } from './cel-patterns.ts'
import { type Bindings, type CelTerm, describeTerm, holds, isAssignable, join, resolve } from './cel-types.ts'

export type Scope = ReadonlyMap<string, CelTerm>

/** Loops within loops over what a caller sends take too long beyond this. */
const maxLoops = 2
const maxDepth = 200
const operators = /^[!_@-]/

/**
 * Finds the type of an expression as SpiceDB's checker does, and refuses what it refuses and what is not supported:
 * the library that evaluates has no checker. Throws `ExpressionFault`.
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

  typeOf(expression: CelExpression | undefined, scope: Scope): CelTerm {
    if (!expression) throw new ExpressionFault('A part of it is missing.', 0)
    if (++this.#depth > maxDepth) this.#refuse(expression, 'It is too deep.')
    try {
      return this.#typeOf(expression, scope)
    } finally {
      this.#depth--
    }
  }

  #typeOf(expression: CelExpression, scope: Scope): CelTerm {
    const { exprKind: kind } = expression
    switch (kind.case) {
      case 'constExpr':
        return this.#constant(expression, kind.value)
      case 'identExpr':
        return scope.get(kind.value.name) ?? this.#refuse(expression, `There is no parameter \`${kind.value.name}\`.`)
      case 'selectExpr':
        return this.#select(expression, this.typeOf(kind.value.operand, scope), kind.value.testOnly)
      case 'callExpr':
        return this.#call(expression, kind.value, scope)
      case 'listExpr':
        return { name: 'list', of: this.#joined(expression, kind.value.elements, scope) }
      case 'structExpr':
        return this.#map(expression, kind.value, scope)
      case 'comprehensionExpr':
        return this.#loop(expression, kind.value, scope)
      default:
        return this.#refuse(expression, 'A part of it cannot be read.')
    }
  }

  #constant(expression: CelExpression, { constantKind: kind }: CelConstant): CelTerm {
    switch (kind.case) {
      case 'int64Value':
        if (BigInt.asIntN(64, kind.value) !== kind.value)
          this.#refuse(expression, 'This number is too large for an int.')
        return { name: 'int' }
      case 'uint64Value':
        if (BigInt.asUintN(64, kind.value) !== kind.value)
          this.#refuse(expression, 'This number is too large for a uint.')
        return { name: 'uint' }
      case 'doubleValue':
      case 'stringValue':
      case 'bytesValue':
      case 'boolValue':
      case 'nullValue':
        return { name: kind.case.replace('Value', '') }
      default:
        return this.#refuse(expression, 'This value is not supported.')
    }
  }

  #select(expression: CelExpression, operand: CelTerm, isTest: boolean): CelTerm {
    if (operand.name !== 'dyn' && operand.name !== 'map') {
      this.#refuse(expression, `A value of type ${describeTerm(operand)} has no fields.`)
    }
    return isTest ? { name: 'bool' } : (operand.of ?? { name: 'dyn' })
  }

  #call(expression: CelExpression, call: CelCall, scope: Scope): CelTerm {
    const known = (call.target ? methods : functions).get(call.function)
    if (!known) return this.#refuse(expression, `${describeCall(call.function)} is not supported.`)
    const given = [...(call.target ? [call.target] : []), ...call.args].map((part) => this.typeOf(part, scope))
    this.#refuseWhatDiffers(expression, call, given)
    const results = known.flatMap((signature) => resultOf(signature, given))
    const [result] = results
    if (!result) {
      const types = given.map(describeTerm).join(', ')
      return this.#refuse(expression, `${describeCall(call.function)} does not go with (${types}).`)
    }
    return results.every(({ name }) => name === result.name) ? result : { name: 'dyn' }
  }

  /** Where SpiceDB always fails when it is asked, or answers by how a value was written. */
  #refuseWhatDiffers(expression: CelExpression, { function: name, args }: CelCall, given: CelTerm[]): void {
    const [first] = given
    if (this.#hasUint && first?.name === 'int' && ['int', 'uint', 'double', 'string'].includes(name)) {
      this.#refuse(expression, `\`${name}()\` of an int is not supported beside parameters of type uint.`)
    }
    const written = args.at(-1)?.exprKind
    const pattern = written?.case === 'constExpr' ? written.value.constantKind : undefined
    if (name === 'matches' && pattern?.case === 'stringValue' && isPatternTooLarge(pattern.value)) {
      this.#refuse(expression, 'This pattern is too large.')
    }
    if (name === '_[_]' && first?.of?.name === 'none') this.#refuse(expression, 'There is nothing in an empty list.')
    if (name === 'isSubtreeOf' && given.some((term) => holds(term, 'timestamp'))) {
      this.#refuse(expression, '`isSubtreeOf` is not supported for timestamps.')
    }
    if (name === 'isSubtreeOf' && this.#text.includes('{')) {
      this.#refuse(
        expression,
        '`isSubtreeOf` is supported between parameters only, not with maps that are written out.',
      )
    }
  }

  #joined(expression: CelExpression, parts: (CelExpression | undefined)[], scope: Scope): CelTerm {
    const joined = join(parts.map((part) => this.typeOf(part, scope)))
    return joined ?? this.#refuse(expression, 'An ipaddress cannot stand among values of other types.')
  }

  #map(expression: CelExpression, { messageName, entries }: StructValue, scope: Scope): CelTerm {
    if (messageName) this.#refuse(expression, `\`${messageName}{}\` is not supported.`)
    const keys = entries.map(({ keyKind }) => (keyKind.case === 'mapKey' ? keyKind.value : undefined))
    const written = keys.flatMap((part) => (part?.exprKind.case === 'constExpr' ? [spell(part.exprKind.value)] : []))
    // The library loses what is missing in a key, and SpiceDB takes a parameter that is only in a key for unused.
    if (written.length < keys.length) this.#refuse(expression, 'The keys of a map must be written out.')
    if (new Set(written).size < written.length) this.#refuse(expression, 'This map has a key twice.')
    const key = this.#joined(expression, keys, scope)
    if (!['string', 'int', 'uint', 'bool', 'dyn', 'none'].includes(key.name)) {
      this.#refuse(expression, `The keys of a map cannot be of type ${describeTerm(key)}.`)
    }
    const values = entries.map(({ value }) => value)
    return { name: 'map', key, of: this.#joined(expression, values, scope) }
  }

  #loop(expression: CelExpression, loop: CelLoop, scope: Scope): CelTerm {
    // The library knows this spelling of `exists_one`; SpiceDB does not.
    if (/\bexistsOne\b/.test(this.#text)) this.#refuse(expression, '`existsOne` is not supported; write `exists_one`.')
    if (loop.iterVar2) this.#refuse(expression, 'A loop with two variables is not supported.')
    if (scope.has(loop.iterVar)) this.#refuse(expression, `The name \`${loop.iterVar}\` is taken already.`)
    const over = this.typeOf(loop.iterRange, scope)
    if (!['list', 'map', 'dyn'].includes(over.name)) {
      this.#refuse(expression, `There is nothing to go through in a value of type ${describeTerm(over)}.`)
    }
    if (++this.#loops > maxLoops)
      this.#refuse(expression, `More than ${maxLoops} loops within each other are not supported.`)
    const item = over.key ?? over.of ?? { name: 'dyn' }
    const first = this.typeOf(loop.accuInit, scope)
    const inner = new Map([...scope, [loop.iterVar, item], [loop.accuVar, first]])
    this.typeOf(loop.loopCondition, inner)
    const step = this.typeOf(loop.loopStep, inner)
    this.#loops--
    return this.typeOf(loop.result, new Map([...scope, [loop.accuVar, step]]))
  }

  #refuse(expression: CelExpression, message: string): never {
    const told = this.#source.sourceInfo?.positions[String(expression.id)] ?? 0
    // The library takes the blanks before an operator for a part of it.
    const blanks = /^\s*/.exec(this.#text.slice(told))?.[0].length ?? 0
    throw new ExpressionFault(message, told + blanks)
  }
}

type StructValue = Extract<CelExpression['exprKind'], { case: 'structExpr' }>['value']

function spell({ constantKind: kind }: CelConstant): string {
  return `${kind.case === 'uint64Value' ? 'int64Value' : kind.case} ${kind.value}`
}

function resultOf({ parameters, result }: Signature, given: CelTerm[]): CelTerm[] {
  const bindings: Bindings = new Map()
  if (parameters.length !== given.length) return []
  const fits = parameters.every((wanted, index) => isAssignable(wanted, given[index] ?? { name: 'dyn' }, bindings))
  return fits ? [resolve(result, bindings)] : []
}

function describeCall(name: string): string {
  const operator = name === '@in' ? 'in' : name.replaceAll('_', ' ').trim().replace('[ ]', '[]').replace('? :', '?:')
  return operators.test(name) ? `The operator \`${operator}\`` : `\`${name}()\``
}
