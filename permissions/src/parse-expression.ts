import type { Cursor } from './cursor.ts'
import type { Expression, Span } from './schema.ts'

/** Parentheses and subtractions of one permission. What lies deeper is refused, so that no walk over it runs out of stack. */
const maxDepth = 200

type Parser = (cursor: Cursor, depth: Depth) => Expression

interface Depth {
  left: number
}

/** `+` binds tightest, then `&`, then `-`, each from the left, as in SpiceDB. */
export function parseExpression(cursor: Cursor): Expression {
  return parseExclusion(cursor, { left: maxDepth })
}

function parseExclusion(cursor: Cursor, depth: Depth): Expression {
  let base = parseIntersection(cursor, depth)
  while (cursor.takeIf('symbol', '-')) {
    descend(cursor, depth)
    const subtracted = parseIntersection(cursor, depth)
    base = { kind: 'exclusion', base, subtracted, span: spanOver(base, subtracted) }
  }
  return base
}

const parseIntersection = chain('intersection', '&', chain('union', '+', parseOperand))

/** A row of the same operator is one node, whatever its parentheses: `a + (b + c)` is `a + b + c`. */
function chain(kind: 'union' | 'intersection', sign: string, parseOne: Parser): Parser {
  return (cursor, depth) => {
    const operands = [parseOne(cursor, depth)]
    while (cursor.takeIf('symbol', sign)) operands.push(parseOne(cursor, depth))
    const [first, last] = [operands[0] as Expression, operands.at(-1) as Expression]
    if (first === last) return first
    const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand]))
    return { kind, operands: flat, span: spanOver(first, last) }
  }
}

function parseOperand(cursor: Cursor, depth: Depth): Expression {
  const start = cursor.current
  if (cursor.takeIf('keyword', 'nil')) return { kind: 'nil', span: start.span }
  if (cursor.takeIf('keyword', 'self')) return { kind: 'self', span: start.span }
  if (cursor.is('symbol', '(')) return parseParentheses(cursor, depth)
  const name = cursor.identifier('a relation or a permission').text
  const arrow = parseArrow(cursor)
  if (!arrow) return { kind: 'reference', name, span: start.span }
  return { kind: 'arrow', left: name, ...arrow, span: cursor.spanFrom(start) }
}

function parseParentheses(cursor: Cursor, depth: Depth): Expression {
  const start = cursor.symbol('(')
  descend(cursor, depth)
  const inner = parseExclusion(cursor, depth)
  cursor.symbol(')')
  return { ...inner, span: cursor.spanFrom(start) }
}

function parseArrow(cursor: Cursor): { right: string; of: 'any' | 'all' } | undefined {
  const arrow = parseOneArrow(cursor)
  if (arrow && (cursor.is('symbol', '->') || cursor.is('symbol', '.'))) {
    cursor.failAt(cursor.current, 'An arrow cannot go on from an arrow: give the second its own permission.')
  }
  return arrow
}

function parseOneArrow(cursor: Cursor): { right: string; of: 'any' | 'all' } | undefined {
  if (cursor.takeIf('symbol', '->')) return { right: cursor.identifier('a relation or a permission').text, of: 'any' }
  if (!cursor.takeIf('symbol', '.')) return undefined
  const of =
    cursor.takeIf('identifier', 'any') ?? cursor.takeIf('identifier', 'all') ?? cursor.fail('Expected `any` or `all`')
  cursor.symbol('(')
  const right = cursor.identifier('a relation or a permission').text
  cursor.symbol(')')
  return { right, of: of.text === 'all' ? 'all' : 'any' }
}

function descend(cursor: Cursor, depth: Depth): void {
  if (depth.left-- === 0)
    cursor.failAt(cursor.current, 'This expression is too deep: split it into several permissions.')
}

function spanOver(first: Expression, last: Expression): Span {
  return { start: first.span.start, end: last.span.end }
}
