import { compileParsed } from './compile-parsed.ts'
import { understandCaveatsBy } from './compiled-caveats.ts'
import { parseSchema } from './parse.ts'
import type { Schema } from './schema.ts'

/** Like `compileSchema`; the language of caveats is loaded with the first schema that has one. */
export async function compileAsNeeded(text: string): Promise<Schema> {
  const parsed = parseSchema(text)
  if (parsed.caveats.length > 0) understandCaveatsBy((await import('./caveat-language.ts')).caveatLanguage)
  return compileParsed(text, parsed)
}
