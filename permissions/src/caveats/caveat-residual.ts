import { type CelInput, isCelError } from '@bufbuild/cel'
import type { Budget } from '../evaluate/budget.ts'
import {
  type CelExpression,
  type CelSource,
  collectNames,
  countNodes,
  parseExpression,
  partsOf,
  renameOperators,
} from './cel-expression.ts'
import { planExpression } from './cel-library.ts'
import { addMetering, runMetered } from './cel-meter.ts'
import { printLiteral } from './cel-values.ts'

/** A part of a residual: its text, the precedence of its operator, and whether it is certainly a bool. */
interface PartialResult {
  text: string
  precedence: number
  isBool: boolean
}

const operators: Record<string, { symbol: string; precedence: number; isBool?: true }> = {
  '_||_': { symbol: '||', precedence: 1, isBool: true },
  '_&&_': { symbol: '&&', precedence: 2, isBool: true },
  '_==_': { symbol: '==', precedence: 3, isBool: true },
  '_!=_': { symbol: '!=', precedence: 3, isBool: true },
  '_<_': { symbol: '<', precedence: 3, isBool: true },
  '_<=_': { symbol: '<=', precedence: 3, isBool: true },
  '_>_': { symbol: '>', precedence: 3, isBool: true },
  '_>=_': { symbol: '>=', precedence: 3, isBool: true },
  '@in': { symbol: 'in', precedence: 3, isBool: true },
  '_+_': { symbol: '+', precedence: 4 },
  '_-_': { symbol: '-', precedence: 4 },
  '_*_': { symbol: '*', precedence: 5 },
  '_/_': { symbol: '/', precedence: 5 },
  '_%_': { symbol: '%', precedence: 5 },
}
const unaryPrecedence = 6
const memberPrecedence = 7
const primaryPrecedence = 8
const boolFunctions = new Set(
  'contains startsWith endsWith matches in_cidr isSubtreeOf bool exists all exists_one has'.split(' '),
)

const maxLength = 4000
/** The steps for each node of a part that is planned and run, since planning takes longer than running. */
const stepsPerPart = 10

/** The known values of parameters. */
export interface KnownValues {
  budget: Budget
  values: Readonly<Record<string, CelInput>>
  /** Reports whether CEL has literals for the parameter's type. Without them, as for addresses, its name remains. */
  hasLiteral: (name: string) => boolean
  isBool: (name: string) => boolean
}

/**
 * Partially evaluates an expression: substitutes the known values, and drops operands that do not affect the result.
 * With the missing values, the residual has the same result as the expression. Returns undefined for a residual of more
 * than 4000 characters.
 */
export function computeResidual(expression: string, known: KnownValues): string | undefined {
  const { text } = new PartialEvaluator(parseExpression(expression), known).evaluate()
  return text.length > maxLength ? undefined : text
}

/** Joins the distinct parts with an operator, adding parentheses only where needed. */
export function joinExpressions(parts: readonly string[], symbol: '&&' | '||'): string {
  const precedence = symbol === '&&' ? 2 : 1
  const [first = '', ...others] = [...new Set(parts)]
  if (others.length === 0) return first
  return [first, ...others].map((part) => (precedenceOf(part) < precedence ? `(${part})` : part)).join(` ${symbol} `)
}

export const negate = (part: string): string => (precedenceOf(part) < memberPrecedence ? `!(${part})` : `!${part}`)

function precedenceOf(text: string): number {
  const { exprKind: kind } = parseExpression(text).expr
  if (kind.case !== 'callExpr') return primaryPrecedence
  const { function: name } = kind.value
  if (name === '_?_:_') return 0
  return operators[name]?.precedence ?? (name === '!_' || name === '-_' ? unaryPrecedence : primaryPrecedence)
}

class PartialEvaluator {
  readonly #source: CelSource
  readonly #known: KnownValues
  readonly #byId = new Map<bigint, CelExpression>()
  /** The variables of the enclosing loops. */
  #loopVariables: ReadonlySet<string> = new Set()

  constructor(source: CelSource, known: KnownValues) {
    this.#source = source
    this.#known = known
    const visit = (part: CelExpression): void => {
      this.#byId.set(part.id, part)
      for (const inner of partsOf(part)) visit(inner)
    }
    visit(source.expr)
  }

  evaluate(): PartialResult {
    return this.#evaluate(this.#source.expr)
  }

  #evaluate(part: CelExpression): PartialResult {
    const text = this.#toLiteral(part)
    if (text !== undefined) {
      const isBool = text === 'true' || text === 'false'
      // A number before a dot, or a signed number, needs parentheses.
      return { text, precedence: /^[-\d]/.test(text) ? unaryPrecedence : primaryPrecedence, isBool }
    }
    const { exprKind: kind } = part
    switch (kind.case) {
      case 'identExpr':
        return { text: kind.value.name, precedence: primaryPrecedence, isBool: this.#known.isBool(kind.value.name) }
      case 'constExpr':
        return createLeaf(printConstant(part))
      case 'selectExpr': {
        const { operand, field, testOnly } = kind.value
        const path = `${this.#printOperand(operand, memberPrecedence)}.${field}`
        return testOnly ? { text: `has(${path})`, precedence: primaryPrecedence, isBool: true } : createLeaf(path)
      }
      case 'listExpr':
        return createLeaf(`[${kind.value.elements.map((element) => this.#printOperand(element, 0)).join(', ')}]`)
      case 'structExpr': {
        const entries = kind.value.entries.map(({ keyKind, value }) => {
          const key = keyKind.case === 'mapKey' ? this.#printOperand(keyKind.value, 0) : ''
          return `${key}: ${this.#printOperand(value, 0)}`
        })
        return createLeaf(`{${entries.join(', ')}}`)
      }
      case 'comprehensionExpr':
        return this.#evaluateLoop(part)
      case 'callExpr':
        return this.#evaluateCall(kind.value.function, kind.value.target, kind.value.args)
      default:
        throw new Error('A part of the expression is invalid.')
    }
  }

  /** Evaluates a part and returns the literal of its value, if all names in it are known and have literals. */
  #toLiteral(part: CelExpression): string | undefined {
    const { budget } = this.#known
    budget.spend(stepsPerPart * countNodes(part))
    const names = collectNames(part)
    for (const name of names) if (this.#loopVariables.has(name)) return undefined
    const knownNames = Object.keys(this.#known.values)
    const isKnown = (name: string) => name in this.#known.values || this.#isLoopVariable(name, part)
    if (![...names].every(isKnown)) return undefined
    const run = planExpression(addMetering(renameOperators(structuredClone(part))))
    const value = runMetered(budget, () => run({ ...this.#known.values }))
    if (isCelError(value)) return undefined
    if (typeof value !== 'boolean' && knownNames.some((name) => names.has(name) && !this.#known.hasLiteral(name)))
      return undefined
    return printLiteral(value)
  }

  #isLoopVariable(name: string, part: CelExpression): boolean {
    const { exprKind: kind } = part
    const isOwn = kind.case === 'comprehensionExpr' && [kind.value.iterVar, kind.value.accuVar].includes(name)
    return isOwn || partsOf(part).some((inner) => this.#isLoopVariable(name, inner))
  }

  #printOperand(part: CelExpression | undefined, precedence: number): string {
    if (!part) return ''
    const result = this.#evaluate(part)
    return result.precedence < precedence ? `(${result.text})` : result.text
  }

  #evaluateCall(name: string, target: CelExpression | undefined, args: CelExpression[]): PartialResult {
    const [first, second] = args
    if ((name === '_&&_' || name === '_||_') && first && second) return this.#evaluateLogical(name, first, second)
    if (name === '_?_:_') return this.#evaluateConditional(args)
    const operator = operators[name]
    if (operator) {
      const { symbol, precedence, isBool = false } = operator
      const text = `${this.#printOperand(first, precedence + (isBool ? 1 : 0))} ${symbol} ${this.#printOperand(second, precedence + 1)}`
      return { text, precedence, isBool }
    }
    if (name === '!_' || name === '-_')
      return {
        text: `${name[0]}${this.#printOperand(first, memberPrecedence)}`,
        precedence: unaryPrecedence,
        isBool: name === '!_',
      }
    if (name === '_[_]')
      return createLeaf(`${this.#printOperand(first, memberPrecedence)}[${this.#printOperand(second, 0)}]`)
    const list = args.map((argument) => this.#printOperand(argument, 0)).join(', ')
    const text = target ? `${this.#printOperand(target, memberPrecedence)}.${name}(${list})` : `${name}(${list})`
    return { text, precedence: primaryPrecedence, isBool: boolFunctions.has(name) }
  }

  /** `false` decides `&&`. `true` is its identity, but only beside a bool: `true && 1` fails. */
  #evaluateLogical(name: '_&&_' | '_||_', first: CelExpression, second: CelExpression): PartialResult {
    const [dominant, identity] = name === '_&&_' ? ['false', 'true'] : ['true', 'false']
    const operands = [this.#evaluate(first), this.#evaluate(second)]
    const dominantOperand = operands.find(({ text }) => text === dominant)
    if (dominantOperand) return dominantOperand
    const [left, right] = operands as [PartialResult, PartialResult]
    if (left.text === identity && right.isBool) return right
    if (right.text === identity && left.isBool) return left
    const { symbol, precedence } = operators[name] as { symbol: string; precedence: number }
    const text = operands
      .map((side) => (side.precedence < precedence ? `(${side.text})` : side.text))
      .join(` ${symbol} `)
    return { text, precedence, isBool: true }
  }

  #evaluateConditional([condition, consequent, alternative]: CelExpression[]): PartialResult {
    if (!condition || !consequent || !alternative) throw new Error('A part of the expression is missing.')
    const test = this.#evaluate(condition)
    if (test.text === 'true') return this.#evaluate(consequent)
    if (test.text === 'false') return this.#evaluate(alternative)
    const [whenTrue, whenFalse] = [this.#evaluate(consequent), this.#evaluate(alternative)]
    const [testText, whenTrueText] = [test, whenTrue].map((side) =>
      side.precedence < 1 ? `(${side.text})` : side.text,
    )
    return {
      text: `${testText} ? ${whenTrueText} : ${whenFalse.text}`,
      precedence: 0,
      isBool: whenTrue.isBool && whenFalse.isBool,
    }
  }

  /** Prints a loop as its macro. */
  #evaluateLoop(part: CelExpression): PartialResult {
    const call = this.#source.sourceInfo?.macroCalls[String(part.id)]?.exprKind
    if (call?.case !== 'callExpr') throw new Error('A comprehension was not written as a macro.')
    const { function: name, target, args } = call.value
    const [item, ...rest] = args
    const variable = item?.exprKind.case === 'identExpr' ? item.exprKind.value.name : ''
    const range = this.#printOperand(target && this.#resolve(target), memberPrecedence)
    const outer = this.#loopVariables
    this.#loopVariables = new Set([...outer, variable])
    const list = rest.map((argument) => this.#printOperand(this.#resolve(argument), 0))
    this.#loopVariables = outer
    return {
      text: `${range}.${name}(${[variable, ...list].join(', ')})`,
      precedence: primaryPrecedence,
      isBool: boolFunctions.has(name),
    }
  }

  /** Returns the part with the same id in the tree: macro calls refer to nested loops only by id. */
  #resolve(part: CelExpression): CelExpression {
    return this.#byId.get(part.id) ?? part
  }
}

const createLeaf = (text: string): PartialResult => ({ text, precedence: primaryPrecedence, isBool: false })

function printConstant({ exprKind: kind }: CelExpression): string {
  const constant = kind.case === 'constExpr' ? kind.value.constantKind : undefined
  if (constant?.case === 'uint64Value') return `${constant.value}u`
  throw new Error('A constant cannot be printed.')
}
