import { caveatLanguage } from './caveats/caveat-language.ts'
import { registerCaveatLanguage } from './caveats/compiled-caveats.ts'
import { compileParsed } from './compile-parsed.ts'
import { parseSchema } from './schema/parse.ts'
import type { Schema } from './schema/schema.ts'

registerCaveatLanguage(caveatLanguage)

/** Compiles a schema. Throws `SchemaFault` with all its problems in text order, or with the first syntax error. */
export function compileSchema(text: string): Schema {
  return compileParsed(text, parseSchema(text))
}
