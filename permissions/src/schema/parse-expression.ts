import type { Cursor } from './cursor.ts'
import type { Expression, Span } from './schema.ts'

/**
 * The maximum number of parentheses and subtractions in an expression, so that recursive functions do not overflow the
 * stack.
 */
const maxDepth = 200

type Parser = (cursor: Cursor, depth: Depth) => Expression

interface Depth {
  remaining: number
}

/** Parses an expression: `+` binds tightest, then `&`, then `-`, all left-associative, as in SpiceDB. */
export function parseExpression(cursor: Cursor): Expression {
  return parseExclusion(cursor, { remaining: maxDepth })
}

function parseExclusion(cursor: Cursor, depth: Depth): Expression {
  let base = parseIntersection(cursor, depth)
  while (cursor.takeIf('symbol', '-')) {
    descend(cursor, depth)
    const subtracted = parseIntersection(cursor, depth)
    base = { kind: 'exclusion', base, subtracted, span: joinSpans(base, subtracted) }
  }
  return base
}

const parseIntersection = createChainParser('intersection', '&', createChainParser('union', '+', parseOperand))

/** Creates a parser that flattens a chain of one operator, despite parentheses: `a + (b + c)` becomes `a + b + c`. */
function createChainParser(kind: 'union' | 'intersection', sign: string, parseOne: Parser): Parser {
  return (cursor, depth) => {
    const operands = [parseOne(cursor, depth)]
    while (cursor.takeIf('symbol', sign)) operands.push(parseOne(cursor, depth))
    const [first, last] = [operands[0] as Expression, operands.at(-1) as Expression]
    if (first === last) return first
    const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand]))
    return { kind, operands: flat, span: joinSpans(first, last) }
  }
}

function parseOperand(cursor: Cursor, depth: Depth): Expression {
  const start = cursor.current
  if (cursor.takeIf('keyword', 'nil')) return { kind: 'nil', span: start.span }
  if (cursor.takeIf('keyword', 'self')) return { kind: 'self', span: start.span }
  if (cursor.is('symbol', '(')) return parseParentheses(cursor, depth)
  const name = cursor.requireIdentifier('a relation or a permission').text
  const arrow = parseArrow(cursor)
  if (!arrow) return { kind: 'reference', name, span: start.span }
  return { kind: 'arrow', left: name, ...arrow, span: cursor.spanFrom(start) }
}

function parseParentheses(cursor: Cursor, depth: Depth): Expression {
  const start = cursor.requireSymbol('(')
  descend(cursor, depth)
  const inner = parseExclusion(cursor, depth)
  cursor.requireSymbol(')')
  return { ...inner, span: cursor.spanFrom(start) }
}

function parseArrow(cursor: Cursor): { right: string; of: 'any' | 'all' } | undefined {
  const arrow = parseOneArrow(cursor)
  if (arrow && (cursor.is('symbol', '->') || cursor.is('symbol', '.'))) {
    cursor.failAt(cursor.current, 'Arrows cannot be chained: use a separate permission for the second one.')
  }
  return arrow
}

function parseOneArrow(cursor: Cursor): { right: string; of: 'any' | 'all' } | undefined {
  if (cursor.takeIf('symbol', '->'))
    return { right: cursor.requireIdentifier('a relation or a permission').text, of: 'any' }
  if (!cursor.takeIf('symbol', '.')) return undefined
  const of =
    cursor.takeIf('identifier', 'any') ?? cursor.takeIf('identifier', 'all') ?? cursor.fail('Expected `any` or `all`')
  cursor.requireSymbol('(')
  const right = cursor.requireIdentifier('a relation or a permission').text
  cursor.requireSymbol(')')
  return { right, of: of.text === 'all' ? 'all' : 'any' }
}

function descend(cursor: Cursor, depth: Depth): void {
  if (depth.remaining-- === 0)
    cursor.failAt(cursor.current, 'This expression is nested too deeply: split it into several permissions.')
}

function joinSpans(first: Expression, last: Expression): Span {
  return { start: first.span.start, end: last.span.end }
}
