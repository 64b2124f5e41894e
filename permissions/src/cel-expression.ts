import { parse } from '@bufbuild/cel'
import { ExpressionFault } from './caveat-fault.ts'
import { renamed } from './cel-names.ts'

/** An expression as the library parses it: the tree of `cel.expr.Expr`. */
export type CelExpression = ReturnType<typeof parse>['expr']
export type CelSource = ReturnType<typeof parse>
type Kind = CelExpression['exprKind']
export type CelCall = Extract<Kind, { case: 'callExpr' }>['value']
export type CelLoop = Extract<Kind, { case: 'comprehensionExpr' }>['value']
export type CelConstant = Extract<Kind, { case: 'constExpr' }>['value']

/** As SpiceDB has it. */
const maxLength = 100_000

/** Throws an `ExpressionFault` for what is no CEL. */
export function parseExpression(text: string): CelSource {
  if (text.length > maxLength) throw new ExpressionFault(`It has more than ${maxLength} characters.`, 0)
  try {
    // The library wants a line to end before it takes `//` for a comment.
    return parse(`${text}\n`)
  } catch (error) {
    throw new ExpressionFault(`This is no CEL: ${messageOf(error)}.`, offsetOf(error))
  }
}

function messageOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is too deep'
  if (!(error instanceof Error)) return 'it cannot be read'
  return error.message.replace(/^<input>:\d+:\d+: /, '')
}

function offsetOf(error: unknown): number {
  const location = (error as { location?: { start?: { offset?: unknown } } } | undefined)?.location
  return typeof location?.start?.offset === 'number' ? location.start.offset : 0
}

/** The parts of an expression, in the order in which they are worked out. */
export function partsOf({ exprKind: kind }: CelExpression): CelExpression[] {
  switch (kind.case) {
    case 'callExpr':
      return [...present(kind.value.target), ...kind.value.args]
    case 'selectExpr':
      return present(kind.value.operand)
    case 'listExpr':
      return kind.value.elements
    case 'structExpr':
      return kind.value.entries.flatMap(({ keyKind, value }) => [
        ...(keyKind.case === 'mapKey' ? [keyKind.value] : []),
        ...present(value),
      ])
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value
      return [iterRange, accuInit, loopCondition, loopStep, result].flatMap(present)
    }
    default:
      return []
  }
}

/** The names that an expression uses, those of its loops among them. */
export function namesIn(expression: CelExpression): Set<string> {
  const { exprKind: kind } = expression
  const names = new Set<string>(kind.case === 'identExpr' ? [kind.value.name] : [])
  for (const part of partsOf(expression)) for (const name of namesIn(part)) names.add(name)
  return names
}

/** Puts in the names under which it runs, where the tree stands. */
export function withOurNames(expression: CelExpression): CelExpression {
  for (const part of partsOf(expression)) withOurNames(part)
  const { id, exprKind: kind } = expression
  if (kind.case === 'callExpr') kind.value.function = renamed[kind.value.function] ?? kind.value.function
  if (kind.case !== 'selectExpr' || !kind.value.testOnly || !kind.value.operand) return expression
  const field: CelExpression = {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: {
      case: 'constExpr',
      value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'stringValue', value: kind.value.field } },
    },
  }
  expression.exprKind = {
    case: 'callExpr',
    value: { $typeName: 'cel.expr.Expr.Call', function: '@has', args: [kind.value.operand, field] },
  }
  return expression
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

/** Of how many parts an expression is made. */
export const sizeOf = (expression: CelExpression): number =>
  partsOf(expression).reduce((size, part) => size + sizeOf(part), 1)
