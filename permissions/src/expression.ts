import type { Expression } from './schema.ts'

export type Leaf = Exclude<Expression, { kind: 'union' | 'intersection' | 'exclusion' }>

/** What an expression is made of, operators apart, from left to right. */
export function leaves(expression: Expression): Leaf[] {
  if (expression.kind === 'exclusion') return [...leaves(expression.base), ...leaves(expression.subtracted)]
  if ('operands' in expression) return expression.operands.flatMap(leaves)
  return [expression]
}
