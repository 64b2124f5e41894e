import { leaves } from './expression.ts'
import type { SchemaProblem } from './fault.ts'
import { isCaveatName, isRelationName, isTypeName, nameRules } from './names.ts'
import type { Definition, Permission, SchemaText, Span } from './schema.ts'

interface Named {
  name: string
  span: Span
}

/** Names that are used twice, or are none. */
export function checkNames({ definitions, caveats }: SchemaText): SchemaProblem[] {
  return [
    ...definitions.filter(({ name }) => !isTypeName(name)).map(malformedType),
    ...caveats.filter(({ name }) => !isCaveatName(name)).map(malformedCaveat),
    ...repeated([...definitions, ...caveats]).map(({ name, span }) => ({
      message: `There are two \`${name}\`.`,
      span,
    })),
    ...definitions.flatMap(checkMembers),
  ]
}

function checkMembers({ name: type, relations, permissions }: Definition): SchemaProblem[] {
  const members = [...relations, ...permissions]
  return [
    ...[...members, ...permissions.flatMap(endsOfArrows)]
      .filter(({ name }) => !isRelationName(name))
      .map(malformedMember),
    ...repeated(members).map(({ name, span }) => ({ message: `\`${type}\` has two \`${name}\`.`, span })),
  ]
}

/** What is on the right of an arrow need not be there, but must be a name. */
function endsOfArrows({ expression }: Permission): Named[] {
  return leaves(expression).flatMap((leaf) => (leaf.kind === 'arrow' ? [{ name: leaf.right, span: leaf.span }] : []))
}

/** All but the first in the text of each name. */
function repeated(items: Named[]): Named[] {
  const seen = new Set<string>()
  const ordered = items.toSorted((a, b) => a.span.start.offset - b.span.start.offset)
  return ordered.filter(({ name }) => seen.size === seen.add(name).size)
}

const malformedType = ({ name, span }: Named): SchemaProblem => ({
  message: `\`${name}\` is no name for a definition: ${nameRules.type}.`,
  span,
})

const malformedMember = ({ name, span }: Named): SchemaProblem => ({
  message: `\`${name}\` is no name for a relation or a permission: ${nameRules.relation}.`,
  span,
})

const malformedCaveat = ({ name, span }: Named): SchemaProblem => ({
  message: `\`${name}\` is no name for a caveat: ${nameRules.caveat}.`,
  span,
})
