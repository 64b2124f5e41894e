import { checkCaveats } from '../caveats/compiled-caveats.ts'
import { maxSchemaProblems, SchemaError, type SchemaProblem } from '../error.ts'
import { checkDefinitions, checkNames } from './check-definitions.ts'
import type { CompiledDefinition, Definition, Schema, SchemaText } from './schema.ts'

/** Compiles a parsed schema as `compileSchema` does. Throws if it has caveats and their language is not loaded. */
export function compileParsed(text: string, parsed: SchemaText): Schema {
  const definitions = byName(parsed.definitions.map(compileDefinition))
  const schema: Schema = { text, definitions, caveats: byName(parsed.caveats) }
  const problems = [...checkNames(parsed), ...checkCaveats(parsed.caveats, text), ...checkDefinitions(parsed, schema)]
  const ordered = problems.toSorted((a, b) => a.span.start.offset - b.span.start.offset)
  const [first, ...others] = ordered.slice(0, maxSchemaProblems)
  if (first) throw new SchemaError([first, ...others] satisfies [SchemaProblem, ...SchemaProblem[]])
  return schema
}

function compileDefinition({ relations, permissions, span, ...definition }: Definition): CompiledDefinition {
  return { ...definition, relations: byName(relations), permissions: byName(permissions) }
}

function byName<T extends { name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]))
}
