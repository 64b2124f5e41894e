import { SchemaError } from '../error.ts'
import type { Lexeme } from './cursor.ts'
import { collectLeaves, type Definition, type Permission, type Relation, type Span } from './schema.ts'

/** A definition or partial as written, with its members in order. */
export interface Body {
  name: string
  comment?: string
  span: Span
  members: Member[]
}

/** `partial` is the name after `...`. */
export type Member = { relation: Relation } | { permission: Permission } | { partial: Lexeme }

/** Deeper nesting is rejected to avoid a stack overflow. */
const maxDepth = 50

/** The maximum in all definitions. A text of 128 K has fewer, unless partials repeat them. */
const maxMembers = 10_000
/** The maximum number of subject types of relations and operands of permissions in all definitions. */
const maxParts = 100_000

/**
 * Inlines partials. Throws `SchemaError` for a partial that is unknown, is included twice or includes itself, and for a
 * schema that becomes too large. A member of a partial counts in each definition that includes it.
 */
export function flattenPartials(definitions: Body[], partials: Body[]): Definition[] {
  const partialsByName = new Map<string, Body>()
  for (const partial of partials) {
    if (partialsByName.has(partial.name)) fail(`The partial \`${partial.name}\` is defined twice.`, partial.span)
    partialsByName.set(partial.name, partial)
  }
  const countPartialMember = createCount()
  for (const partial of partials) flatten(partial, partialsByName, countPartialMember)
  const count = createCount()
  return definitions.map((definition) => {
    if (partialsByName.has(definition.name))
      fail(`A partial named \`${definition.name}\` already exists.`, definition.span)
    return flatten(definition, partialsByName, count)
  })
}

type Count = (member: Relation | Permission) => void

/** Returns a counter that throws `SchemaError` above the limits of a schema. */
function createCount(): Count {
  const sizes = new WeakMap<Relation | Permission, number>()
  let [members, parts] = [0, 0]
  return (member) => {
    const size = sizes.get(member) ?? countParts(member)
    sizes.set(member, size)
    members++
    parts += size
    if (members > maxMembers) fail(`A schema must have at most ${maxMembers} relations and permissions.`, member.span)
    if (parts > maxParts) fail(`A schema must have at most ${maxParts} subject types and operands.`, member.span)
  }
}

const countParts = (member: Relation | Permission) =>
  'allowed' in member ? member.allowed.length : collectLeaves(member.expression).length

function flatten({ members, ...body }: Body, partials: ReadonlyMap<string, Body>, count: Count): Definition {
  const definition: Definition = { ...body, relations: [], permissions: [] }
  const inlined = new Set<string>()
  const addMembers = (members: Member[], depth: number): void => {
    for (const member of members) {
      if ('partial' in member) {
        inlinePartial(member.partial, depth)
      } else if ('relation' in member) {
        count(member.relation)
        definition.relations.push(member.relation)
      } else {
        count(member.permission)
        definition.permissions.push(member.permission)
      }
    }
  }
  const inlinePartial = ({ text, span }: Lexeme, depth: number): void => {
    const partial = partials.get(text)
    if (!partial) fail(`The partial \`${text}\` does not exist.`, span)
    if (inlined.has(text) || text === body.name)
      fail(`The partial \`${text}\` is included twice or includes itself.`, span)
    if (depth === maxDepth) fail('Partials are nested too deeply.', span)
    inlined.add(text)
    addMembers(partial.members, depth + 1)
  }
  addMembers(members, 0)
  return definition
}

function fail(message: string, span: Span): never {
  throw new SchemaError([{ message, span }])
}
