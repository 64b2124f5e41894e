import { printCaveatType, printExpression } from './print.ts'
import type { CaveatDeclaration, Expression } from './schema.ts'
import { tokenize } from './tokens.ts'

/** Whether two expressions always say the same, as far as their form tells: `a + b` and `b + (a + a)` do. */
export function haveSameMeaning(one: Expression, other: Expression): boolean {
  return canonical(one) === canonical(other)
}

/** Whether two caveats differ in nothing but spaces, comments and the order of their parameters. */
export function isSameCaveat(one: CaveatDeclaration, other: CaveatDeclaration): boolean {
  return canonicalCaveat(one) === canonicalCaveat(other)
}

/** Its text, with the operands of `+` and `&` sorted and each said once. */
function canonical(expression: Expression): string {
  if ('operands' in expression) {
    const operands = [...new Set(expression.operands.map(canonical))].sort()
    const [first = '', ...others] = operands
    return others.length === 0 ? first : `(${operands.join(expression.kind === 'union' ? ' + ' : ' & ')})`
  }
  if (expression.kind !== 'exclusion') return printExpression(expression, { parenthesised: true })
  return `(${canonical(expression.base)} - ${canonical(expression.subtracted)})`
}

function canonicalCaveat({ parameters, expression }: CaveatDeclaration): string {
  const list = parameters.map(({ name, type }) => `${name} ${printCaveatType(type)}`).sort()
  const words = tokenize(expression).filter(({ kind }) => !['whitespace', 'newline', 'comment'].includes(kind))
  return [...list, ...words.map(({ text }) => text)].join('\n')
}
