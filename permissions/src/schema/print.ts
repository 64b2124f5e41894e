import type {
  AllowedSubject,
  CaveatDeclaration,
  CaveatType,
  Definition,
  Expression,
  Permission,
  Relation,
  SchemaText,
} from './schema.ts'

/** Prints the canonical text of a schema, which parses to the same tree. */
export function printSchema({ uses, caveats, definitions }: SchemaText): string {
  const blocks = [...caveats.map(printCaveat), ...definitions.map(printDefinition)]
  const head = uses.map((feature) => `use ${feature}\n`).join('')
  return [head, ...blocks].filter(Boolean).join('\n')
}

function printCaveat(caveat: CaveatDeclaration): string {
  return `${printComment(caveat.comment, '')}${printCaveatHead(caveat)} {\n  ${caveat.expression}\n}\n`
}

/** Prints `caveat tenant(current string, required string)`. */
export function printCaveatHead({ name, parameters }: CaveatDeclaration): string {
  return `caveat ${name}(${parameters.map((parameter) => `${parameter.name} ${printCaveatType(parameter.type)}`).join(', ')})`
}

/** Prints a type as in `list<string>`. */
export function printCaveatType({ name, of }: CaveatType): string {
  return of ? `${name}<${printCaveatType(of)}>` : name
}

function printDefinition({ name, comment, relations, permissions }: Definition): string {
  const head = `${printComment(comment, '')}definition ${name} {`
  const members = [relations.map(printRelation).join(''), permissions.map(printPermission).join('')].filter(Boolean)
  return members.length === 0 ? `${head}}\n` : `${head}\n${members.join('\n')}}\n`
}

function printRelation({ name, comment, allowed }: Relation): string {
  return `${printComment(comment, '  ')}  relation ${name}: ${allowed.map(printAllowed).join(' | ')}\n`
}

function printPermission({ name, comment, annotation, expression }: Permission): string {
  const types = annotation ? `: ${annotation.join(' | ')}` : ''
  const meaning = printExpression(expression, { parenthesised: true })
  return `${printComment(comment, '  ')}  permission ${name}${types} = ${meaning}\n`
}

function printComment(comment: string | undefined, indent: string): string {
  if (comment === undefined) return ''
  return comment
    .split('\n')
    .map((line) => `${`${indent}// ${line}`.trimEnd()}\n`)
    .join('')
}

const symbols = { union: ' + ', intersection: ' & ', exclusion: ' - ' }
const precedences = { union: 3, intersection: 2, exclusion: 1 }

/**
 * Prints an expression on one line, with parentheses where they are needed, or with `parenthesised` around every nested
 * operator.
 */
export function printExpression(expression: Expression, { parenthesised }: { parenthesised: boolean }): string {
  const printOperand = (inner: Expression, minPrecedence: number) => {
    const text = printExpression(inner, { parenthesised })
    if (!isOperator(inner)) return text
    return parenthesised || precedences[inner.kind] < minPrecedence ? `(${text})` : text
  }
  if (!isOperator(expression)) return printLeaf(expression)
  const { kind } = expression
  if (kind !== 'exclusion')
    return expression.operands.map((inner) => printOperand(inner, precedences[kind] + 1)).join(symbols[kind])
  const base = printOperand(expression.base, precedences.exclusion)
  return `${base}${symbols.exclusion}${printOperand(expression.subtracted, precedences.exclusion + 1)}`
}

type Operator = Extract<Expression, { kind: keyof typeof symbols }>

function isOperator(expression: Expression): expression is Operator {
  return expression.kind in symbols
}

function printLeaf(leaf: Exclude<Expression, Operator>): string {
  if (leaf.kind === 'reference') return leaf.name
  if (leaf.kind !== 'arrow') return leaf.kind
  return leaf.of === 'all' ? `${leaf.left}.all(${leaf.right})` : `${leaf.left}->${leaf.right}`
}

/** Prints an allowed subject in schema syntax: `user`, `user:* with tenant`, `group#member with expiration`. */
export function printAllowed({
  type,
  relation,
  isWildcard,
  caveat,
  hasExpiration,
}: Omit<AllowedSubject, 'span'>): string {
  const subject = isWildcard ? `${type}:*` : relation === undefined ? type : `${type}#${relation}`
  const traits = [caveat, hasExpiration && 'expiration'].filter(Boolean)
  return traits.length > 0 ? `${subject} with ${traits.join(' and ')}` : subject
}
