import type { SchemaProblem } from './fault.ts'
import type { CaveatDeclaration } from './schema.ts'
import { tokenize } from './tokens.ts'

/** What CEL keeps for itself. */
const reserved = new Set(
  `as break const continue else false for function if import in let loop namespace null package return true var void while`.split(
    ' ',
  ),
)

/** Parameters that cannot be, or that the expression does not use. */
export function checkCaveats(caveats: readonly CaveatDeclaration[]): SchemaProblem[] {
  return caveats.flatMap((caveat) => checkParameters(caveat).map((message) => ({ message, span: caveat.span })))
}

function checkParameters({ name: caveat, parameters, expression }: CaveatDeclaration): string[] {
  const seen = new Set<string>()
  const used = namesIn(expression)
  return parameters.flatMap(({ name }) => {
    if (seen.size === seen.add(name).size) return [`The caveat \`${caveat}\` has two parameters \`${name}\`.`]
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) || reserved.has(name)) return [`\`${name}\` is no name for a parameter.`]
    return used.has(name) ? [] : [`The caveat \`${caveat}\` does not use its parameter \`${name}\`.`]
  })
}

/** Words that no dot makes a field of something. */
function namesIn(expression: string): Set<string> {
  const tokens = tokenize(expression).filter(({ kind }) => !['whitespace', 'newline', 'comment'].includes(kind))
  const words = tokens.filter(({ kind }, index) => {
    return (kind === 'identifier' || kind === 'keyword') && tokens[index - 1]?.text !== '.'
  })
  return new Set(words.map(({ text }) => text))
}
