import type { SchemaText } from '@passport/permissions'
import { parseSchema, printSchema, reflectSchema, SchemaError, type SchemaProblem } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { isDirectoryType } from './reference.ts'

/**
 * Returns the problems of a text that is to replace `current`. The text may refer to the directory's definitions without
 * including them.
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

/** Compiles an unsaved schema, with the directory's definitions, to data. Throws `SchemaError`. */
export const reflectSchemaText = (text: string, current: string) => ({
  text,
  ...reflectSchema(compileSchema(withDirectory(text, current))),
})
