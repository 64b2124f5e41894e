import { findDependents, findTransitive } from './dependencies.ts'
import { printAllowed, printCaveatHead, printCaveatType, printExpression } from './print.ts'
import type { CaveatDeclaration, CompiledDefinition, Expression, Permission, Relation, Schema } from './schema.ts'
import { tokenize } from './tokens.ts'

type Item = 'definition' | 'relation' | 'permission' | 'caveat'

/** A semantic difference between two schemas. */
export interface SchemaDifference {
  kind: `${Item | 'subject'}-${'added' | 'removed'}` | `${'permission' | 'caveat' | 'comment'}-changed`
  /** `document`, `document#viewer`, or the name of a caveat. */
  name: string
  /** The old text, if the item existed. */
  before?: string
  /** The new text, if the item still exists. */
  after?: string
  /** The permissions whose results may change, as `document#view`. */
  affects: string[]
  /** The number of stored relationships that the new schema does not allow, if known. */
  blocking?: number
  /** Some affected permissions are not listed, because there are too many. */
  isCut?: true
}

/** A difference with the relations and permissions that it changes directly, as `document#viewer`. */
type Change = Omit<SchemaDifference, 'affects' | 'isCut'> & { touches: string[] }

/** The maximum of all differences together: in a chain of thousands of permissions, every change affects thousands. */
const maxAffected = 50_000

/**
 * Compares the meaning of two schemas, ignoring formatting, order and redundant parentheses. An added or removed
 * definition is reported without its members. Sorted by name.
 */
export function diffSchemas(before: Schema, after: Schema): SchemaDifference[] {
  const dependents = findDependents([before, after])
  const permissions = new Set([before, after].flatMap(listPermissionNames))
  const changes = [...diffDefinitions(before, after), ...diffCaveats(before, after)]
  let remaining = maxAffected
  return changes.map(({ touches, ...difference }) => {
    const { reached, isWhole, steps } = findTransitive(touches, dependents, remaining)
    remaining = Math.max(0, remaining - steps)
    const affects = [...reached].filter((name) => permissions.has(name)).sort()
    return { ...difference, affects, ...(!isWhole && { isCut: true as const }) }
  })
}

function listPermissionNames({ definitions }: Schema): string[] {
  return [...definitions.values()].flatMap(({ name, permissions }) => {
    return [...permissions.keys()].map((permission) => `${name}#${permission}`)
  })
}

/** Returns the changes of every name on either side, in the order of names. */
function compareByName<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  compare: (name: string, old: T | undefined, now: T | undefined) => Change[],
): Change[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap((name) => compare(name, before.get(name), after.get(name)))
}

function diffDefinitions(before: Schema, after: Schema): Change[] {
  return compareByName(before.definitions, after.definitions, (name, old, now) => {
    if (old && now) return diffDefinition(old, now)
    const definition = old ?? now
    if (!definition) return []
    const members = [...definition.relations.keys(), ...definition.permissions.keys()]
    return [{ kind: toChangeKind('definition', now), name, touches: members.map((member) => `${name}#${member}`) }]
  })
}

function diffDefinition(old: CompiledDefinition, now: CompiledDefinition): Change[] {
  const memberName = (member: string) => `${now.name}#${member}`
  return [
    ...diffComment(now.name, old, now),
    ...compareByName(old.relations, now.relations, (name, old, now) => diffRelation(memberName(name), old, now)),
    ...compareByName(old.permissions, now.permissions, (name, old, now) => diffPermission(memberName(name), old, now)),
  ]
}

function diffRelation(name: string, old: Relation | undefined, now: Relation | undefined): Change[] {
  if (!old || !now)
    return [createOneSidedChange('relation', name, old && printTypes(old), now && printTypes(now), [name])]
  const [oldSubjects, newSubjects] = [printSubjects(old), printSubjects(now)]
  const removed = [...oldSubjects].filter((subject) => !newSubjects.has(subject))
  const added = [...newSubjects].filter((subject) => !oldSubjects.has(subject))
  return [
    ...diffComment(name, old, now),
    ...removed.map((subject): Change => ({ kind: 'subject-removed', name, before: subject, touches: [name] })),
    ...added.map((subject): Change => ({ kind: 'subject-added', name, after: subject, touches: [name] })),
  ]
}

function printSubjects({ allowed }: Relation): Set<string> {
  return new Set(allowed.map(printAllowed))
}

function printTypes({ allowed }: Relation): string {
  return allowed.map(printAllowed).join(' | ')
}

function diffPermission(name: string, old: Permission | undefined, now: Permission | undefined): Change[] {
  const [before, after] = [old && printMeaning(old), now && printMeaning(now)]
  if (!old || !now) return [createOneSidedChange('permission', name, before, after, [name])]
  const comment = diffComment(name, old, now)
  if (haveSameMeaning(old.expression, now.expression)) return comment
  return [...comment, { kind: 'permission-changed', name, ...toTexts(before, after), touches: [name] }]
}

function printMeaning({ expression }: Permission): string {
  return printExpression(expression, { parenthesised: true })
}

function diffCaveats(before: Schema, after: Schema): Change[] {
  return compareByName(before.caveats, after.caveats, (name, old, now) => {
    const touches = [before, after].flatMap((schema) => findRelationsWith(name, schema))
    const [oldText, newText] = [old && printCaveat(old), now && printCaveat(now)]
    if (!old || !now) return [createOneSidedChange('caveat', name, oldText, newText, touches)]
    const comment = diffComment(name, old, now)
    return isSameCaveat(old, now)
      ? comment
      : [...comment, { kind: 'caveat-changed', name, ...toTexts(oldText, newText), touches }]
  })
}

function printCaveat(caveat: CaveatDeclaration): string {
  return `${printCaveatHead(caveat)} { ${caveat.expression.replace(/\s+/g, ' ')} }`
}

function findRelationsWith(caveat: string, { definitions }: Schema): string[] {
  return [...definitions.values()].flatMap(({ name, relations }) => {
    const found = [...relations.values()].filter(({ allowed }) => allowed.some((subject) => subject.caveat === caveat))
    return found.map((relation) => `${name}#${relation.name}`)
  })
}

function diffComment(name: string, old: { comment?: string }, now: { comment?: string }): Change[] {
  if (old.comment === now.comment) return []
  return [{ kind: 'comment-changed', name, ...toTexts(old.comment, now.comment), touches: [] }]
}

function toChangeKind(item: Item, now: unknown): SchemaDifference['kind'] {
  return now === undefined ? `${item}-removed` : `${item}-added`
}

/** Creates the change for an item that exists on one side only. */
function createOneSidedChange(
  item: Item,
  name: string,
  before: string | undefined,
  after: string | undefined,
  touches: string[],
): Change {
  return { kind: toChangeKind(item, after), name, ...toTexts(before, after), touches }
}

function toTexts(before: string | undefined, after: string | undefined): { before?: string; after?: string } {
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}

/**
 * Reports whether two expressions are equivalent except for order and repetition, such as `a + b` and `b + (a + a)`.
 */
function haveSameMeaning(left: Expression, right: Expression): boolean {
  return printCanonical(left) === printCanonical(right)
}

/** Reports whether two caveats differ only in whitespace, comments and the order of their parameters. */
export function isSameCaveat(left: CaveatDeclaration, right: CaveatDeclaration): boolean {
  return printCanonicalCaveat(left) === printCanonicalCaveat(right)
}

/** Prints an expression with the operands of `+` and `&` sorted and deduplicated. */
function printCanonical(expression: Expression): string {
  if ('operands' in expression) {
    const operands = [...new Set(expression.operands.map(printCanonical))].sort()
    const [first = '', ...others] = operands
    return others.length === 0 ? first : `(${operands.join(expression.kind === 'union' ? ' + ' : ' & ')})`
  }
  if (expression.kind !== 'exclusion') return printExpression(expression, { parenthesised: true })
  return `(${printCanonical(expression.base)} - ${printCanonical(expression.subtracted)})`
}

function printCanonicalCaveat({ parameters, expression }: CaveatDeclaration): string {
  const list = parameters.map(({ name, type }) => `${name} ${printCaveatType(type)}`).sort()
  const words = tokenize(expression).filter(({ kind }) => !['whitespace', 'newline', 'comment'].includes(kind))
  return [...list, ...words.map(({ text }) => text)].join('\n')
}
