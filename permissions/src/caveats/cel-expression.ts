import { parse } from '@bufbuild/cel'
import { ExpressionError } from './compiled-caveats.ts'

/** An expression in the library's representation, `cel.expr.Expr`. */
export type CelExpression = ReturnType<typeof parse>['expr']
export type CelSource = ReturnType<typeof parse>
type Kind = CelExpression['exprKind']
export type CelCall = Extract<Kind, { case: 'callExpr' }>['value']
export type CelLoop = Extract<Kind, { case: 'comprehensionExpr' }>['value']
export type CelConstant = Extract<Kind, { case: 'constExpr' }>['value']

/** In characters: SpiceDB's limit. */
const maxLength = 100_000

/** Parses an expression. Throws `ExpressionError` for invalid CEL. */
export function parseExpression(text: string): CelSource {
  if (text.length > maxLength) throw new ExpressionError(`The expression has more than ${maxLength} characters.`, 0)
  try {
    // The library recognises a `//` comment only if its line ends with a newline.
    return parse(`${text}\n`)
  } catch (error) {
    throw new ExpressionError(`Invalid CEL: ${messageOf(error)}.`, offsetOf(error))
  }
}

function messageOf(error: unknown): string {
  if (error instanceof RangeError) return 'nested too deeply'
  if (!(error instanceof Error)) return 'syntax error'
  return error.message.replace(/^<input>:\d+:\d+: /, '')
}

function offsetOf(error: unknown): number {
  const location = (error as { location?: { start?: { offset?: unknown } } } | undefined)?.location
  return typeof location?.start?.offset === 'number' ? location.start.offset : 0
}

/** Returns the parts of an expression in evaluation order. */
export function partsOf({ exprKind: kind }: CelExpression): CelExpression[] {
  switch (kind.case) {
    case 'callExpr':
      return [...toArray(kind.value.target), ...kind.value.args]
    case 'selectExpr':
      return toArray(kind.value.operand)
    case 'listExpr':
      return kind.value.elements
    case 'structExpr':
      return kind.value.entries.flatMap(({ keyKind, value }) => [
        ...(keyKind.case === 'mapKey' ? [keyKind.value] : []),
        ...toArray(value),
      ])
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value
      return [iterRange, accuInit, loopCondition, loopStep, result].flatMap(toArray)
    }
    default:
      return []
  }
}

/** Returns the names in an expression, including loop variables. */
export function collectNames(expression: CelExpression): Set<string> {
  const { exprKind: kind } = expression
  const names = new Set<string>(kind.case === 'identExpr' ? [kind.value.name] : [])
  for (const part of partsOf(expression)) for (const name of collectNames(part)) names.add(name)
  return names
}

/** Replaces operators and `has` by calls of our implementations. Mutates the tree. */
export function renameOperators(expression: CelExpression): CelExpression {
  for (const part of partsOf(expression)) renameOperators(part)
  const { exprKind: kind } = expression
  if (kind.case === 'callExpr') kind.value.function = ownOperatorNames[kind.value.function] ?? kind.value.function
  if (kind.case !== 'selectExpr' || !kind.value.testOnly || !kind.value.operand) return expression
  const field = createConstant({ case: 'stringValue', value: kind.value.field })
  expression.exprKind = createCall('@has', [kind.value.operand, field]).exprKind
  return expression
}

export function createCall(name: string, args: CelExpression[]): CelExpression {
  const value = { $typeName: 'cel.expr.Expr.Call', function: name, args } as const
  return { $typeName: 'cel.expr.Expr', id: 0n, exprKind: { case: 'callExpr', value } }
}

export function createConstant(constantKind: CelConstant['constantKind']): CelExpression {
  const value = { $typeName: 'cel.expr.Constant', constantKind } as const
  return { $typeName: 'cel.expr.Expr', id: 0n, exprKind: { case: 'constExpr', value } }
}

function toArray<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

/** Counts the nodes of an expression. */
export const countNodes = (expression: CelExpression): number =>
  partsOf(expression).reduce((size, part) => size + countNodes(part), 1)

/** The names of our implementations. Under its own name, the library would first try its 17 overloads of `<`. */
const ownOperatorNames: Readonly<Record<string, string>> = {
  '_<_': '@less',
  '_<=_': '@less_equal',
  '_>_': '@greater',
  '_>=_': '@greater_equal',
  '_[_]': '@index',
}
