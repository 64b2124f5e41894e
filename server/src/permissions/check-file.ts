import { setImmediate } from 'node:timers/promises'
import { compileSchema } from '@passport/permissions/compile'
import type { PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { Schema } from '@passport/permissions/schema'
import { validateRelationship } from '@passport/permissions/validate-relationship'
import { FileFault, type FileProblem, maxProblems, type ValidationFile } from '@passport/permissions/validation-file'
import { applicationPart, withDirectory } from './directory.ts'
import { refuseDirectory } from './directory-types.ts'

const atOnce = 1000

/**
 * Whether every relationship of a file may be written under the schema of the file, or under the one in force where it
 * has none. Throws `FileFault` with each that may not, the first hundred, with its line.
 */
export async function checkRelationships(engine: PermissionEngine, file: ValidationFile): Promise<void> {
  const schema = await schemaOf(engine, file)
  const problems: FileProblem[] = []
  for (const [at, relationship] of file.relationships.entries()) {
    try {
      refuseDirectory([relationship.resource.type], () => '')
      validateRelationship(schema, relationship, '')
    } catch (error) {
      if (!(error instanceof PermissionFault)) throw error
      problems.push({ message: error.message, code: error.code, ...file.placeOf(at) })
      if (problems.length >= maxProblems) break
    }
    if (at % atOnce === 0) await setImmediate()
  }
  if (problems.length > 0) throw new FileFault(problems)
}

async function schemaOf(engine: PermissionEngine, { schema }: ValidationFile): Promise<Schema> {
  if (schema === undefined) return compileSchema((await engine.readSchema()).text)
  return compileSchema(engine.kind === 'embedded' ? withDirectory(applicationPart(schema)) : schema)
}
