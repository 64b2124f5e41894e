import { Budget } from './budget.ts'
import { type CelExpression, partsOf, sizeOf } from './cel-expression.ts'

/** Of the expression that is running: the library hands nothing through to its functions, and runs one at a time. */
let current = new Budget()

/** Runs an expression, or what belongs to it, on a budget. Throws `too-much-work` also where the library took that for an error of the expression. */
export function metered<T>(budget: Budget, run: () => T): T {
  const before = current
  current = budget
  try {
    const result = run()
    // Within a function of the library it was caught; spending nothing tells it again.
    if (budget.isSpent) budget.spend(0)
    return result
  } finally {
    current = before
  }
}

/** For what takes more than a moment, by the size of its values. */
export function spend(steps: number): void {
  current.spend(Math.ceil(steps))
}

/** Has each round of a loop counted, and what it goes through. Changes the tree where it stands. */
export function metering(expression: CelExpression): CelExpression {
  const { exprKind: kind } = expression
  if (kind.case === 'comprehensionExpr') {
    const { iterRange, loopCondition, loopStep } = kind.value
    const weight = loopStep ? sizeOf(loopStep) : 1
    if (iterRange) kind.value.iterRange = callOf('@range', [iterRange])
    if (loopCondition) kind.value.loopCondition = callOf('@round', [loopCondition, weightOf(weight)])
  }
  for (const part of partsOf(expression)) metering(part)
  return expression
}

const weightOf = (weight: number): CelExpression => ({
  $typeName: 'cel.expr.Expr',
  id: 0n,
  exprKind: {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: BigInt(weight) } },
  },
})

const callOf = (name: string, args: CelExpression[]): CelExpression => ({
  $typeName: 'cel.expr.Expr',
  id: 0n,
  exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
})
