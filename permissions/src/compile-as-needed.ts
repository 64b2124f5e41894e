import { compileParsed } from './compile-parsed.ts'
import { compileCaveatsBy } from './compiled-caveats.ts'
import { parseSchema } from './parse.ts'
import type { Schema } from './schema.ts'

/** Like `compileSchema`; the language of caveats is loaded with the first schema that has one. */
export async function compileAsNeeded(text: string): Promise<Schema> {
  const parsed = parseSchema(text)
  if (parsed.caveats.length > 0) compileCaveatsBy((await import('./caveat.ts')).compileCaveat)
  return compileParsed(text, parsed)
}
