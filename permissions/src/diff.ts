import { printAllowed } from './allowed-subject.ts'
import { findDependents, reach } from './dependents.ts'
import { haveSameMeaning, isSameCaveat } from './meaning.ts'
import { printCaveatHead, printExpression } from './print.ts'
import type { SchemaDifference } from './reflection.ts'
import type { CaveatDeclaration, CompiledDefinition, Permission, Relation, Schema } from './schema.ts'

/** A difference, and what it changes directly: relations and permissions as `document#viewer`. */
type Change = Omit<SchemaDifference, 'affects' | 'isCut'> & { touches: string[] }

/** Where each of thousands of permissions stands on the one before, every change affects thousands. */
const mostAffected = 50_000

type Kind = SchemaDifference['kind']

/**
 * What `after` changes in meaning; spelling, order and the parentheses that change nothing are passed over. Of a
 * definition that comes or goes nothing more is told. In the order of the names.
 */
export function diffSchemas(before: Schema, after: Schema): SchemaDifference[] {
  const dependents = findDependents([before, after])
  const permissions = new Set([before, after].flatMap(permissionNames))
  const changes = [...diffDefinitions(before, after), ...diffCaveats(before, after)]
  let left = mostAffected
  return changes.map(({ touches, ...difference }) => {
    const { reached, isWhole } = reach(touches, dependents, left)
    left = Math.max(0, left - reached.size)
    const affects = [...reached].filter((name) => permissions.has(name)).sort()
    return { ...difference, affects, ...(!isWhole && { isCut: true as const }) }
  })
}

function permissionNames({ definitions }: Schema): string[] {
  return [...definitions.values()].flatMap(({ name, permissions }) => {
    return [...permissions.keys()].map((permission) => `${name}#${permission}`)
  })
}

/** Calls `compare` once for each name on either side, sorted. */
function pair<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  compare: (name: string, old: T | undefined, now: T | undefined) => Change[],
): Change[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap((name) => compare(name, before.get(name), after.get(name)))
}

function diffDefinitions(before: Schema, after: Schema): Change[] {
  return pair(before.definitions, after.definitions, (name, old, now) => {
    if (old && now) return diffDefinition(old, now)
    const definition = old ?? now
    if (!definition) return []
    const members = [...definition.relations.keys(), ...definition.permissions.keys()]
    return [{ kind: whole('definition', now), name, touches: members.map((member) => `${name}#${member}`) }]
  })
}

function diffDefinition(old: CompiledDefinition, now: CompiledDefinition): Change[] {
  const place = (member: string) => `${now.name}#${member}`
  return [
    ...diffComment(now.name, old, now),
    ...pair(old.relations, now.relations, (name, old, now) => diffRelation(place(name), old, now)),
    ...pair(old.permissions, now.permissions, (name, old, now) => diffPermission(place(name), old, now)),
  ]
}

function diffRelation(name: string, old: Relation | undefined, now: Relation | undefined): Change[] {
  if (!old || !now) return [sided('relation', name, old && printTypes(old), now && printTypes(now), [name])]
  const [was, is] = [spellings(old), spellings(now)]
  const gone = [...was].filter((subject) => !is.has(subject))
  const come = [...is].filter((subject) => !was.has(subject))
  return [
    ...diffComment(name, old, now),
    ...gone.map((subject): Change => ({ kind: 'subject-removed', name, before: subject, touches: [name] })),
    ...come.map((subject): Change => ({ kind: 'subject-added', name, after: subject, touches: [name] })),
  ]
}

function spellings({ allowed }: Relation): Set<string> {
  return new Set(allowed.map(printAllowed))
}

function printTypes({ allowed }: Relation): string {
  return allowed.map(printAllowed).join(' | ')
}

function diffPermission(name: string, old: Permission | undefined, now: Permission | undefined): Change[] {
  const [before, after] = [old && printMeaning(old), now && printMeaning(now)]
  if (!old || !now) return [sided('permission', name, before, after, [name])]
  const comment = diffComment(name, old, now)
  if (haveSameMeaning(old.expression, now.expression)) return comment
  return [...comment, { kind: 'permission-changed', name, ...texts(before, after), touches: [name] }]
}

function printMeaning({ expression }: Permission): string {
  return printExpression(expression, { parenthesised: true })
}

function diffCaveats(before: Schema, after: Schema): Change[] {
  return pair(before.caveats, after.caveats, (name, old, now) => {
    const touches = [before, after].flatMap((schema) => relationsWith(name, schema))
    const [was, is] = [old && printCaveat(old), now && printCaveat(now)]
    if (!old || !now) return [sided('caveat', name, was, is, touches)]
    const comment = diffComment(name, old, now)
    return isSameCaveat(old, now) ? comment : [...comment, { kind: 'caveat-changed', name, ...texts(was, is), touches }]
  })
}

function printCaveat(caveat: CaveatDeclaration): string {
  return `${printCaveatHead(caveat)} { ${caveat.expression.replace(/\s+/g, ' ')} }`
}

function relationsWith(caveat: string, { definitions }: Schema): string[] {
  return [...definitions.values()].flatMap(({ name, relations }) => {
    const found = [...relations.values()].filter(({ allowed }) => allowed.some((subject) => subject.caveat === caveat))
    return found.map((relation) => `${name}#${relation.name}`)
  })
}

function diffComment(name: string, old: { comment?: string }, now: { comment?: string }): Change[] {
  if (old.comment === now.comment) return []
  return [{ kind: 'comment-changed', name, ...texts(old.comment, now.comment), touches: [] }]
}

function whole(what: 'definition' | 'relation' | 'permission' | 'caveat', now: unknown): Kind {
  return now === undefined ? `${what}-removed` : `${what}-added`
}

/** Something that is on one side only. */
function sided(
  what: 'relation' | 'permission' | 'caveat',
  name: string,
  before: string | undefined,
  after: string | undefined,
  touches: string[],
): Change {
  return { kind: whole(what, after), name, ...texts(before, after), touches }
}

function texts(before: string | undefined, after: string | undefined): { before?: string; after?: string } {
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}
