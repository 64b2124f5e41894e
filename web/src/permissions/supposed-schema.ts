import { compileSchema } from '@passport/permissions/compile'
import { reflectSchema } from '@passport/permissions/reflect'
import { withDirectory } from './schema-problems.ts'

/** What a text that is not saved would be as data, with the part of the directory in it. */
export const reflectText = (text: string, current: string) => ({
  text,
  ...reflectSchema(compileSchema(withDirectory(text, current))),
})
