import { compileSchema } from '@passport/permissions/compile'
import { SchemaFault, type SchemaProblem } from '@passport/permissions/fault'
import { parseSchema } from '@passport/permissions/parse'
import { printSchema } from '@passport/permissions/print'
import type { SchemaText } from '@passport/permissions/schema'
import { isOfDirectory } from './schema.ts'

/**
 * What is wrong with a text that is to replace `current`. The definitions of the directory are always there: who leaves
 * them out may name them all the same.
 */
export function problemsOf(text: string, current: string): readonly SchemaProblem[] {
  try {
    compileSchema(withDirectory(text, current))
    return []
  } catch (error) {
    if (error instanceof SchemaFault) return error.problems
    throw error
  }
}

/** With the definitions of the directory that it leaves out. Throws `SchemaFault` where it cannot be read. */
export const withDirectory = (text: string, current: string): string =>
  `${text}\n${directoryPart(current, parseSchema(text))}`

function directoryPart(current: string, { definitions }: SchemaText): string {
  const isLeftOut = ({ name }: { name: string }) =>
    isOfDirectory(name) && !definitions.some((definition) => definition.name === name)
  return printSchema({ uses: [], caveats: [], definitions: parseSchema(current).definitions.filter(isLeftOut) })
}
