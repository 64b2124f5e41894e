import { maxSchemaProblems, type SchemaProblem } from '../fault.ts'
import type { CaveatDeclaration, Position, Span } from '../schema/schema.ts'
import { CaveatFault } from './caveat-fault.ts'
import { compileCaveatOnce } from './compiled-caveats.ts'

/** CEL's reserved words and type names. */
const reserved = new Set([
  ...'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
  ...'bool bytes double int list map null_type string type uint'.split(' '),
])

/** The maximum number of words and symbols in all expressions: the CEL parser takes up to 20 µs for each. */
const maxWords = 5_000

/**
 * Reports invalid parameters, and expressions that are invalid, ill-typed or use unsupported features. Stops after the
 * caveat that brings the total to `maxSchemaProblems`.
 */
export function checkCaveats(caveats: readonly CaveatDeclaration[], text: string): SchemaProblem[] {
  const tooMany = findTooManyWords(caveats)
  if (tooMany) return [tooMany]
  const allProblems: SchemaProblem[] = []
  for (const caveat of caveats) {
    const problems = checkParameters(caveat).map((message) => ({ message, span: caveat.span }))
    allProblems.push(...(problems.length > 0 ? problems : checkExpression(caveat, text)))
    if (allProblems.length >= maxSchemaProblems) break
  }
  return allProblems
}

function findTooManyWords(caveats: readonly CaveatDeclaration[]): SchemaProblem | undefined {
  const message = `The caveats of a schema must have at most ${maxWords} tokens in total.`
  let words = 0
  for (const { expression, span } of caveats) {
    words += countWords(expression)
    if (words > maxWords) return { message, span }
  }
  return undefined
}

function countWords(expression: string): number {
  return expression.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0
}

function checkParameters({ name: caveat, parameters }: CaveatDeclaration): string[] {
  const seen = new Set<string>()
  return parameters.flatMap(({ name }) => {
    if (seen.size === seen.add(name).size) return [`The caveat \`${caveat}\` has the parameter \`${name}\` twice.`]
    const isName = /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && !reserved.has(name)
    return isName ? [] : [`\`${name}\` is not a valid parameter name.`]
  })
}

function checkExpression(caveat: CaveatDeclaration, text: string): SchemaProblem[] {
  try {
    compileCaveatOnce(caveat)
    return []
  } catch (error) {
    if (!(error instanceof CaveatFault)) throw error
    return [{ message: error.message, span: spanOf(caveat, text, error.offset) }]
  }
}

/** The span from a position in the expression to the end of the caveat. */
function spanOf({ span, expression }: CaveatDeclaration, text: string, offset: number): Span {
  const expressionStart = text.indexOf(expression, span.start.offset)
  return { start: expressionStart < 0 ? span.start : positionAt(text, expressionStart + offset), end: span.end }
}

function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset }
}
