import { Cursor, type Lexeme } from './cursor.ts'
import { type Body, flattenPartials } from './flatten-partials.ts'
import { parseExpression } from './parse-expression.ts'
import {
  type AllowedSubject,
  type CaveatDeclaration,
  type CaveatParameter,
  type CaveatType,
  caveatTypeNames,
  type Permission,
  type Relation,
  type SchemaText,
} from './schema.ts'
import { features } from './tokens.ts'

/**
 * Parses a schema as SpiceDB 1.54 does, with partials inlined. Checks only the syntax; `compileSchema` checks the
 * meaning. Throws `SchemaError` at the first syntax error.
 */
export function parseSchema(text: string): SchemaText {
  const cursor = new Cursor(text)
  const uses = new Set<string>()
  const caveats: SchemaText['caveats'] = []
  const definitions: Body[] = []
  const partials: Body[] = []
  cursor.takeIf('semicolon')
  while (!cursor.is('end')) {
    if (isUse(cursor)) uses.add(parseUse(cursor, caveats.length + definitions.length > 0))
    else if (cursor.is('keyword', 'definition')) definitions.push(parseBody(cursor, 'definition'))
    else if (cursor.is('keyword', 'partial')) partials.push(parseBody(cursor, 'partial'))
    else if (cursor.is('keyword', 'caveat')) caveats.push(parseCaveat(cursor))
    else if (cursor.is('keyword', 'import')) failImport(cursor)
    else cursor.fail('Expected `definition`, `caveat` or `use`')
    cursor.takeIf('semicolon')
  }
  uses.delete('partial')
  return { uses: [...uses], caveats, definitions: flattenPartials(definitions, partials) }
}

function isUse(cursor: Cursor): boolean {
  return cursor.is('keyword', 'use') || cursor.is('identifier', 'use')
}

function parseUse(cursor: Cursor, isLate: boolean): string {
  const use = cursor.take()
  const { kind, text } = cursor.current
  if (isLate) cursor.failAt(use, '`use` must come before all definitions and caveats.')
  if ((kind !== 'keyword' && kind !== 'identifier') || !features.includes(text)) {
    cursor.fail(`Expected one of ${features.join(', ')}`)
  }
  return cursor.take().text
}

function failImport(cursor: Cursor): never {
  cursor.failAt(cursor.current, 'Imports are not supported: combine the files into one text.')
}

function parseBody(cursor: Cursor, keyword: 'definition' | 'partial'): Body {
  const start = cursor.requireKeyword(keyword)
  const body: Body = { ...toNamed(start, cursor.requirePath()), members: [] }
  cursor.requireSymbol('{')
  while (!cursor.takeIf('symbol', '}')) {
    parseMember(cursor, body)
    if (!cursor.takeIf('semicolon')) cursor.fail('Expected the end of the line or `;`')
  }
  return { ...body, span: cursor.spanFrom(start) }
}

function parseMember(cursor: Cursor, body: Body): void {
  if (cursor.is('keyword', 'relation')) body.members.push({ relation: parseRelation(cursor) })
  else if (cursor.is('keyword', 'permission')) body.members.push({ permission: parsePermission(cursor) })
  else if (cursor.takeIf('symbol', '...'))
    body.members.push({ partial: cursor.requireIdentifier('the name of a partial') })
}

function parseRelation(cursor: Cursor): Relation {
  const start = cursor.requireKeyword('relation')
  const { text } = cursor.requireIdentifier('the name of a relation')
  cursor.requireSymbol(':')
  const allowed = [parseAllowed(cursor)]
  while (cursor.takeIf('symbol', '|')) allowed.push(parseAllowed(cursor))
  return { ...toNamed(start, text), allowed, span: cursor.spanFrom(start) }
}

function parseAllowed(cursor: Cursor): AllowedSubject {
  const start = cursor.current
  const subject = { type: cursor.requirePath(), ...parseSubjectKind(cursor), ...parseTraits(cursor) }
  return { ...subject, span: cursor.spanFrom(start) }
}

function parseSubjectKind(cursor: Cursor): Pick<AllowedSubject, 'relation' | 'isWildcard'> {
  if (cursor.takeIf('symbol', ':')) {
    cursor.requireSymbol('*')
    return { isWildcard: true }
  }
  if (!cursor.takeIf('symbol', '#') || cursor.takeIf('symbol', '...')) return {}
  return { relation: cursor.requireIdentifier('the name of a relation').text }
}

function parseTraits(cursor: Cursor): Pick<AllowedSubject, 'caveat' | 'hasExpiration'> {
  if (!cursor.takeIf('keyword', 'with')) return {}
  if (cursor.takeIf('keyword', 'expiration')) {
    if (cursor.is('keyword', 'and')) cursor.failAt(cursor.current, 'The caveat must come before the expiration.')
    return { hasExpiration: true }
  }
  const caveat = cursor.requirePath()
  if (!cursor.takeIf('keyword', 'and')) return { caveat }
  cursor.requireKeyword('expiration')
  return { caveat, hasExpiration: true }
}

function parsePermission(cursor: Cursor): Permission {
  const start = cursor.requireKeyword('permission')
  const { text } = cursor.requireIdentifier('the name of a permission')
  const annotation = cursor.takeIf('symbol', ':') && parseAnnotation(cursor)
  cursor.requireSymbol('=')
  const expression = parseExpression(cursor)
  return { ...toNamed(start, text), ...(annotation ? { annotation } : {}), expression, span: cursor.spanFrom(start) }
}

function parseAnnotation(cursor: Cursor): string[] {
  const types = [cursor.requireIdentifier('the name of a type').text]
  while (cursor.takeIf('symbol', '|')) types.push(cursor.requireIdentifier('the name of a type').text)
  return types
}

function toNamed(start: Lexeme, name: string) {
  return { name, ...(start.comment ? { comment: start.comment } : {}), span: start.span }
}

/** The maximum nesting of list and map types. */
const maxTypeDepth = 20

/** Parses `caveat name(parameter type, …) { expression }`. The expression remains text, up to the closing brace. */
function parseCaveat(cursor: Cursor): CaveatDeclaration {
  const start = cursor.requireKeyword('caveat')
  const name = cursor.requirePath()
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
  const name = caveatTypeNames.find((known) => known === start.text)
  if (!name) cursor.failAt(start, `The type \`${start.text}\` does not exist; types are ${caveatTypeNames.join(', ')}.`)
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
