import { registerCaveatLanguage } from '../caveats/compiled-caveats.ts'
import { compileParsed } from './compile.ts'
import { parseSchema } from './parse.ts'
import type { Schema, SchemaText } from './schema.ts'

/**
 * Like `compileSchema`, but loads the caveat language only for the first schema with a caveat. Pass `parsed` if the
 * text has been parsed already.
 */
export async function compileAsNeeded(text: string, parsed: SchemaText = parseSchema(text)): Promise<Schema> {
  if (parsed.caveats.length > 0) registerCaveatLanguage((await import('../caveats/caveat.ts')).caveatLanguage)
  return compileParsed(text, parsed)
}
