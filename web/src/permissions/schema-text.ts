import type { SchemaText } from '@passport/permissions'
import { parseSchema, printSchema, reflectSchema, SchemaError, type SchemaProblem } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { isDirectoryType } from './reference.ts'

/**
 * Returns the faults of a text that is to replace `current`. The directory's definitions are always present and may be
 * used even if omitted.
 */
export function findSchemaProblems(text: string, current: string): readonly SchemaProblem[] {
  try {
    compileSchema(withDirectory(text, current))
    return []
  } catch (error) {
    if (error instanceof SchemaError) return error.problems
    throw error
  }
}

/** Appends the directory's definitions that the text omits. Throws `SchemaError` if it cannot be parsed. */
const withDirectory = (text: string, current: string): string =>
  `${text}\n${printDirectoryPart(current, parseSchema(text))}`

function printDirectoryPart(current: string, { definitions }: SchemaText): string {
  const isMissing = ({ name }: { name: string }) =>
    isDirectoryType(name) && !definitions.some((definition) => definition.name === name)
  return printSchema({ uses: [], caveats: [], definitions: parseSchema(current).definitions.filter(isMissing) })
}

/** Returns an unsaved schema as data, including the directory's definitions. */
export const reflectSchemaText = (text: string, current: string) => ({
  text,
  ...reflectSchema(compileSchema(withDirectory(text, current))),
})
