import { caveatLanguage } from './caveats/caveat.ts'
import { registerCaveatLanguage } from './caveats/compiled-caveats.ts'
import { compileParsed } from './schema/compile.ts'
import { parseSchema } from './schema/parse.ts'
import type { Schema } from './schema/schema.ts'

export { readValue, WrongValue } from './caveats/caveat-context.ts'

registerCaveatLanguage(caveatLanguage)

/** Compiles a schema. Throws `SchemaError` with all its problems in text order, or with the first syntax error. */
export function compileSchema(text: string): Schema {
  return compileParsed(text, parseSchema(text))
}
