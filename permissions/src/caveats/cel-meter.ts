import { Budget } from '../evaluate/budget.ts'
import { type CelExpression, countNodes, createCall, createConstant, partsOf } from './cel-expression.ts'

/**
 * The budget of the running expression. It is global, because the library passes no context to functions; expressions
 * never run concurrently.
 */
let currentBudget = new Budget()

/**
 * Runs an expression on a budget. Throws `too-much-work` even if the library has caught it as an error of the
 * expression.
 */
export function runMetered<T>(budget: Budget, run: () => T): T {
  const previous = currentBudget
  currentBudget = budget
  try {
    const result = run()
    // Spending zero steps throws the error again.
    if (budget.isSpent) budget.spend(0)
    return result
  } finally {
    currentBudget = previous
  }
}

/** Spends steps of the running expression, for an operation whose cost grows with the size of its values. */
export function spend(steps: number): void {
  currentBudget.spend(Math.ceil(steps))
}

/** Adds metering to each loop's range and rounds. Mutates the tree. */
export function addMetering(expression: CelExpression): CelExpression {
  const { exprKind: kind } = expression
  if (kind.case === 'comprehensionExpr') {
    const { iterRange, loopCondition, loopStep } = kind.value
    const weight = loopStep ? countNodes(loopStep) : 1
    if (iterRange) kind.value.iterRange = createCall('@range', [iterRange])
    if (loopCondition)
      kind.value.loopCondition = createCall('@round', [
        loopCondition,
        createConstant({ case: 'int64Value', value: BigInt(weight) }),
      ])
  }
  for (const part of partsOf(expression)) addMetering(part)
  return expression
}
