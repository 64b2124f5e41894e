import { checkCaveats } from './check-caveats.ts'
import { checkDefinitions } from './check-definitions.ts'
import { checkNames } from './check-names.ts'
import { SchemaFault, type SchemaProblem } from './fault.ts'
import type { CompiledDefinition, Definition, Schema, SchemaText } from './schema.ts'

/** Makes a schema that was read ready to answer questions; like `compileSchema`, once its caveats can be compiled. */
export function compileParsed(text: string, parsed: SchemaText): Schema {
  const definitions = byName(parsed.definitions.map(compileDefinition))
  const schema: Schema = { text, definitions, caveats: byName(parsed.caveats) }
  const problems = [...checkNames(parsed), ...checkCaveats(parsed.caveats, text), ...checkDefinitions(parsed, schema)]
  const [first, ...others] = problems.toSorted((a, b) => a.span.start.offset - b.span.start.offset)
  if (first) throw new SchemaFault([first, ...others] satisfies [SchemaProblem, ...SchemaProblem[]])
  return schema
}

function compileDefinition({ relations, permissions, span, ...definition }: Definition): CompiledDefinition {
  return { ...definition, relations: byName(relations), permissions: byName(permissions) }
}

function byName<T extends { name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]))
}
