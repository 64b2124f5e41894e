import { Budget } from './budget.ts'

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
