import { CaveatFault } from './caveat-fault.ts'
import { caveatOf } from './compiled-caveats.ts'
import type { SchemaProblem } from './fault.ts'
import type { CaveatDeclaration, Position, Span } from './schema.ts'

/** What CEL keeps for itself: its words, and the names of its types. */
const reserved = new Set([
  ...'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
  ...'bool bytes double int list map null_type string type uint'.split(' '),
])

/** Parameters that cannot be, and expressions that are no CEL, are not sound or use what is not supported. */
export function checkCaveats(caveats: readonly CaveatDeclaration[], text: string): SchemaProblem[] {
  return caveats.flatMap((caveat) => {
    const problems = checkParameters(caveat).map((message) => ({ message, span: caveat.span }))
    return problems.length > 0 ? problems : checkExpression(caveat, text)
  })
}

function checkParameters({ name: caveat, parameters }: CaveatDeclaration): string[] {
  const seen = new Set<string>()
  return parameters.flatMap(({ name }) => {
    if (seen.size === seen.add(name).size) return [`The caveat \`${caveat}\` has two parameters \`${name}\`.`]
    const isName = /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && !reserved.has(name)
    return isName ? [] : [`\`${name}\` is no name for a parameter.`]
  })
}

function checkExpression(caveat: CaveatDeclaration, text: string): SchemaProblem[] {
  try {
    caveatOf(caveat)
    return []
  } catch (error) {
    if (!(error instanceof CaveatFault)) throw error
    return [{ message: error.message, span: spanOf(caveat, text, error.offset) }]
  }
}

/** From the place in the expression to the end of the caveat. */
function spanOf({ span, expression }: CaveatDeclaration, text: string, offset: number): Span {
  const begins = text.indexOf(expression, span.start.offset)
  return { start: begins < 0 ? span.start : positionAt(text, begins + offset), end: span.end }
}

function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset }
}
