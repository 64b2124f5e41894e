import { setImmediate } from 'node:timers/promises'
import { compileSchema } from '@passport/permissions/compile'
import type { PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { Names } from '@passport/permissions/name-numbers'
import { planOf } from '@passport/permissions/plan'
import type { Schema } from '@passport/permissions/schema'
import { validateCheck, validateResource } from '@passport/permissions/validate-question'
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

/** Whether all that must hold can be asked. Throws `FileFault` as `checkRelationships` does, at the list in which it stands. */
export async function checkAssertions(engine: PermissionEngine, file: ValidationFile): Promise<void> {
  const { assertions = [], validations = [], placeOfPart } = file
  if (assertions.length + validations.length === 0) return
  const plan = planOf(await schemaOf(engine, file), new Names())
  const asked = [
    ...assertions.map(({ question }) => ({ part: 'assertions' as const, check: () => validateCheck(plan, question) })),
    ...validations.map(({ resource, permission }) => ({
      part: 'validation' as const,
      check: () => validateResource(plan, resource, permission),
    })),
  ]
  const problems = asked.flatMap(({ part, check }): FileProblem[] => {
    try {
      check()
      return []
    } catch (error) {
      if (!(error instanceof PermissionFault)) throw error
      return [{ message: error.message, code: error.code, ...placeOfPart(part) }]
    }
  })
  if (problems.length > 0) throw new FileFault(problems.slice(0, maxProblems))
}

async function schemaOf(engine: PermissionEngine, { schema }: ValidationFile): Promise<Schema> {
  if (schema === undefined) return compileSchema((await engine.readSchema()).text)
  return compileSchema(engine.kind === 'embedded' ? withDirectory(applicationPart(schema)) : schema)
}
