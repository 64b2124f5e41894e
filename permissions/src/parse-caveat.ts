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

/** Lists of lists and so on; no one needs more. */
const maxTypeDepth = 20

/** `caveat name(parameter type, …) { expression }`; the expression is taken as text, up to the brace that closes it. */
export function parseCaveat(cursor: Cursor): CaveatDeclaration {
  const start = cursor.keyword('caveat')
  const name = parsePath(cursor)
  cursor.symbol('(')
  const parameters = [parseParameter(cursor)]
  while (cursor.takeIf('symbol', ',')) parameters.push(parseParameter(cursor))
  cursor.symbol(')')
  cursor.symbol('{')
  const expression = takeExpression(cursor)
  cursor.symbol('}')
  const comment = start.comment ? { comment: start.comment } : {}
  return { name, ...comment, parameters, expression, span: cursor.spanFrom(start) }
}

function parseParameter(cursor: Cursor): CaveatParameter {
  return { name: cursor.identifier('the name of a parameter').text, type: parseType(cursor, maxTypeDepth) }
}

function parseType(cursor: Cursor, depth: number): CaveatType {
  if (depth === 0) cursor.failAt(cursor.current, 'This type is too deep.')
  const start = cursor.identifier('a type')
  const name = typeNames.find((known) => known === start.text)
  if (!name) cursor.failAt(start, `There is no type \`${start.text}\`; there are ${typeNames.join(', ')}.`)
  if (name !== 'list' && name !== 'map') return { name }
  cursor.symbol('<')
  const of = parseType(cursor, depth - 1)
  cursor.symbol('>')
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
