import { printCaveatType, printExpression } from './print.ts'
import type { CaveatDeclaration, Expression } from './schema.ts'
import { tokenize } from './tokens.ts'

/** Reports whether two expressions are syntactically equivalent: `a + b` and `b + (a + a)` are. */
export function haveSameMeaning(left: Expression, right: Expression): boolean {
  return canonical(left) === canonical(right)
}

/** Reports whether two caveats differ only in whitespace, comments and the order of their parameters. */
export function isSameCaveat(left: CaveatDeclaration, right: CaveatDeclaration): boolean {
  return canonicalCaveat(left) === canonicalCaveat(right)
}

/** Prints an expression with the operands of `+` and `&` sorted and deduplicated. */
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
