import type { SchemaProblem } from '../fault.ts'
import { leaves } from './expression.ts'
import { isCaveatName, isRelationName, isTypeName, nameRules } from './names.ts'
import type { Definition, Permission, SchemaText, Span } from './schema.ts'

interface Named {
  name: string
  span: Span
}

/** Reports duplicate and malformed names. */
export function checkNames({ definitions, caveats }: SchemaText): SchemaProblem[] {
  return [
    ...definitions.filter(({ name }) => !isTypeName(name)).map(malformedType),
    ...caveats.filter(({ name }) => !isCaveatName(name)).map(malformedCaveat),
    ...findDuplicates([...definitions, ...caveats]).map(({ name, span }) => ({
      message: `The name \`${name}\` is defined twice.`,
      span,
    })),
    ...definitions.flatMap(checkMembers),
  ]
}

function checkMembers({ name: type, relations, permissions }: Definition): SchemaProblem[] {
  const members = [...relations, ...permissions]
  return [
    ...[...members, ...permissions.flatMap(arrowTargets)]
      .filter(({ name }) => !isRelationName(name))
      .map(malformedMember),
    ...findDuplicates(members).map(({ name, span }) => ({ message: `\`${type}\` defines \`${name}\` twice.`, span })),
  ]
}

/** The right side of an arrow need not exist, but must be a valid name. */
function arrowTargets({ expression }: Permission): Named[] {
  return leaves(expression).flatMap((leaf) => (leaf.kind === 'arrow' ? [{ name: leaf.right, span: leaf.span }] : []))
}

/** Returns all but the first occurrence of each name in the text. */
function findDuplicates(items: Named[]): Named[] {
  const seen = new Set<string>()
  const ordered = items.toSorted((a, b) => a.span.start.offset - b.span.start.offset)
  return ordered.filter(({ name }) => seen.size === seen.add(name).size)
}

const malformedType = ({ name, span }: Named): SchemaProblem => ({
  message: `\`${name}\` is not a valid definition name: use ${nameRules.type}.`,
  span,
})

const malformedMember = ({ name, span }: Named): SchemaProblem => ({
  message: `\`${name}\` is not a valid relation or permission name: use ${nameRules.relation}.`,
  span,
})

const malformedCaveat = ({ name, span }: Named): SchemaProblem => ({
  message: `\`${name}\` is not a valid caveat name: use ${nameRules.caveat}.`,
  span,
})
