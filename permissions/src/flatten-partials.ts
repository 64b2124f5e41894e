import type { Lexeme } from './cursor.ts'
import { SchemaFault } from './fault.ts'
import type { Definition, Permission, Relation, Span } from './schema.ts'

/** A definition or a partial as it is written: what stands in it, in order. */
export interface Body {
  name: string
  comment?: string
  span: Span
  members: Member[]
}

/** `partial` is the name after `...`. */
export type Member = { relation: Relation } | { permission: Permission } | { partial: Lexeme }

/** Deeper ones are refused, so that nothing runs out of stack. */
const maxDepth = 50

/** Puts the partials in where they are named. Throws `SchemaFault` where one is unknown, or named twice, or stands in itself. */
export function flattenPartials(definitions: Body[], partials: Body[]): Definition[] {
  const known = new Map<string, Body>()
  for (const partial of partials) {
    if (known.has(partial.name)) fail(`There are two partials \`${partial.name}\`.`, partial.span)
    known.set(partial.name, partial)
  }
  for (const partial of partials) flatten(partial, known)
  return definitions.map((definition) => {
    if (known.has(definition.name)) fail(`\`${definition.name}\` is a partial already.`, definition.span)
    return flatten(definition, known)
  })
}

function flatten({ members, ...body }: Body, partials: ReadonlyMap<string, Body>): Definition {
  const definition: Definition = { ...body, relations: [], permissions: [] }
  const taken = new Set<string>()
  const put = (members: Member[], depth: number): void => {
    for (const member of members) {
      if ('relation' in member) definition.relations.push(member.relation)
      else if ('permission' in member) definition.permissions.push(member.permission)
      else putPartial(member.partial, depth)
    }
  }
  const putPartial = ({ text, span }: Lexeme, depth: number): void => {
    const partial = partials.get(text)
    if (!partial) fail(`There is no partial \`${text}\`.`, span)
    if (taken.has(text) || text === body.name)
      fail(`The partial \`${text}\` is put in twice here, or stands in itself.`, span)
    if (depth === maxDepth) fail('Partials stand too deep in each other.', span)
    taken.add(text)
    put(partial.members, depth + 1)
  }
  put(members, 0)
  return definition
}

function fail(message: string, span: Span): never {
  throw new SchemaFault([{ message, span }])
}
