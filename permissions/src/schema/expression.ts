import type { Expression } from './schema.ts'

export type Leaf = Exclude<Expression, { kind: 'union' | 'intersection' | 'exclusion' }>

/** Returns the leaves of an expression from left to right, without operators. */
export function leaves(expression: Expression): Leaf[] {
  const result: Leaf[] = []
  collect(expression, result)
  return result
}

function collect(expression: Expression, result: Leaf[]): void {
  if (expression.kind === 'exclusion') {
    collect(expression.base, result)
    collect(expression.subtracted, result)
  } else if ('operands' in expression) {
    for (const operand of expression.operands) collect(operand, result)
  } else {
    result.push(expression)
  }
}
