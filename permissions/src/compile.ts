import { caveatLanguage } from './caveat-language.ts'
import { compileParsed } from './compile-parsed.ts'
import { understandCaveatsBy } from './compiled-caveats.ts'
import { parseSchema } from './parse.ts'
import type { Schema } from './schema.ts'

understandCaveatsBy(caveatLanguage)

/**
 * Makes a schema ready to answer questions. Throws `SchemaFault` with all that is wrong with it, in the order of the
 * text, or with the first place that cannot be read.
 */
export function compileSchema(text: string): Schema {
  return compileParsed(text, parseSchema(text))
}
