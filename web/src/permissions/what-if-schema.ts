import { reflectSchema } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { withDirectory } from './schema-problems.ts'

/** Returns an unsaved schema as data, including the directory's definitions. */
export const reflectSchemaText = (text: string, current: string) => ({
  text,
  ...reflectSchema(compileSchema(withDirectory(text, current))),
})
