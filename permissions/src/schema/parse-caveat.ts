import type { Cursor, Lexeme } from './cursor.ts'
import { parsePath } from './parse-path.ts'
import type { CaveatDeclaration, CaveatParameter, CaveatType } from './schema.ts'

const typeNames = [
  'any',
  'bool',
  'string',
  'int',
  'uint',
  'double',
  'bytes',
  'duration',
  'timestamp',
  'list',
  'map',
  'ipaddress',
] as const satisfies CaveatType['name'][]

/** The maximum nesting of list and map types. */
const maxTypeDepth = 20

/** `caveat name(parameter type, …) { expression }`; the expression is kept as text, up to the closing brace. */
export function parseCaveat(cursor: Cursor): CaveatDeclaration {
  const start = cursor.requireKeyword('caveat')
  const name = parsePath(cursor)
  cursor.requireSymbol('(')
  const parameters = [parseParameter(cursor)]
  while (cursor.takeIf('symbol', ',')) parameters.push(parseParameter(cursor))
  cursor.requireSymbol(')')
  cursor.requireSymbol('{')
  const expression = takeExpression(cursor)
  cursor.requireSymbol('}')
  const comment = start.comment ? { comment: start.comment } : {}
  return { name, ...comment, parameters, expression, span: cursor.spanFrom(start) }
}

function parseParameter(cursor: Cursor): CaveatParameter {
  return { name: cursor.requireIdentifier('the name of a parameter').text, type: parseType(cursor, maxTypeDepth) }
}

function parseType(cursor: Cursor, depth: number): CaveatType {
  if (depth === 0) cursor.failAt(cursor.current, 'This type is nested too deeply.')
  const start = cursor.requireIdentifier('a type')
  const name = typeNames.find((known) => known === start.text)
  if (!name) cursor.failAt(start, `The type \`${start.text}\` does not exist; types are ${typeNames.join(', ')}.`)
  if (name !== 'list' && name !== 'map') return { name }
  cursor.requireSymbol('<')
  const of = parseType(cursor, depth - 1)
  cursor.requireSymbol('>')
  return { name, of }
}

function takeExpression(cursor: Cursor): string {
  let last: Lexeme | undefined
  const first = cursor.current
  for (let depth = 0; depth > 0 || !cursor.is('symbol', '}'); ) {
    if (cursor.is('end') || cursor.is('error')) cursor.fail('Expected `}` at the end of the caveat')
    const taken = cursor.take()
    if (taken.kind === 'symbol' && taken.text === '{') depth++
    if (taken.kind === 'symbol' && taken.text === '}') depth--
    if (taken.kind !== 'semicolon' || taken.text === ';') last = taken
  }
  if (!last) cursor.fail('Expected the expression of the caveat')
  return cursor.text.slice(first.span.start.offset, last.span.end.offset)
}
