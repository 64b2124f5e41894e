import { setImmediate } from 'node:timers/promises'
import {
  getPlan,
  Names,
  type PermissionEngine,
  PermissionFault,
  type Schema,
  validateCheck,
  validateRelationship,
  validateResource,
} from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { FileFault, type FileProblem, maxProblems, type ValidationFile } from '@passport/permissions/validation-file'
import { applicationPart, withDirectory } from './directory.ts'
import { rejectDirectoryTypes } from './directory-types.ts'

const batchSize = 1000

/**
 * Checks every relationship of a file against the file's schema, or the current one if it has none. Throws `FileFault`
 * with the first hundred invalid ones and their lines.
 */
export async function checkRelationships(engine: PermissionEngine, file: ValidationFile): Promise<void> {
  const schema = await compileFileSchema(engine, file)
  const problems: FileProblem[] = []
  for (const [at, relationship] of file.relationships.entries()) {
    try {
      rejectDirectoryTypes([relationship.resource.type], () => '')
      validateRelationship(schema, relationship, '')
    } catch (error) {
      if (!(error instanceof PermissionFault)) throw error
      problems.push({ message: error.message, code: error.code, ...file.positionOf(at) })
      if (problems.length >= maxProblems) break
    }
    if (at % batchSize === 0) await setImmediate()
  }
  if (problems.length > 0) throw new FileFault(problems)
}

/**
 * Checks that every assertion is a valid question. Throws `FileFault` like `checkRelationships`, at the section of the
 * assertion.
 */
export async function checkAssertions(engine: PermissionEngine, file: ValidationFile): Promise<void> {
  const { assertions = [], validations = [], sectionPosition } = file
  if (assertions.length + validations.length === 0) return
  const plan = getPlan(await compileFileSchema(engine, file), new Names())
  const checks = [
    ...assertions.map(({ question }) => ({ part: 'assertions' as const, check: () => validateCheck(plan, question) })),
    ...validations.map(({ resource, permission }) => ({
      part: 'validation' as const,
      check: () => validateResource(plan, resource, permission),
    })),
  ]
  const problems: FileProblem[] = []
  for (const { part, check } of checks) {
    if (problems.length >= maxProblems) break
    try {
      check()
    } catch (error) {
      if (!(error instanceof PermissionFault)) throw error
      problems.push({ message: error.message, code: error.code, ...sectionPosition(part) })
    }
  }
  if (problems.length > 0) throw new FileFault(problems)
}

async function compileFileSchema(engine: PermissionEngine, { schema }: ValidationFile): Promise<Schema> {
  if (schema === undefined) return compileSchema((await engine.readSchema()).text)
  return compileSchema(engine.kind === 'embedded' ? withDirectory(applicationPart(schema)) : schema)
}
