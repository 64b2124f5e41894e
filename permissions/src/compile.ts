import { caveatLanguage } from './caveat-language.ts'
import { compileParsed } from './compile-parsed.ts'
import { registerCaveatLanguage } from './compiled-caveats.ts'
import { parseSchema } from './parse.ts'
import type { Schema } from './schema.ts'

registerCaveatLanguage(caveatLanguage)

/** Compiles a schema. Throws `SchemaFault` with all its problems in text order, or with the first syntax error. */
export function compileSchema(text: string): Schema {
  return compileParsed(text, parseSchema(text))
}
