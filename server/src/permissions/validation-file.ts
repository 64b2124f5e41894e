import { setImmediate } from 'node:timers/promises'
import type { FileDownload } from '@passport/contract/endpoint'
import { maxAssertions, type NewAssertion } from '@passport/contract/permissions'
import {
  getPlan,
  Names,
  type PermissionEngine,
  PermissionError,
  type Relationship,
  type RelationshipChange,
  type Schema,
  validateCheck,
  validateRelationship,
  validateResource,
} from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import {
  type FileAssertion,
  FileError,
  type FileProblem,
  type FileValidation,
  maxProblems,
  parseValidationFile,
  printValidationFile,
  type ValidationFile,
} from '@passport/permissions/validation-file'
import { type Sql, transaction } from '../database/sql.ts'
import * as assertions from './assertion-store.ts'
import { type AuditContext, auditOptions } from './audit-options.ts'
import { readPages } from './cursor.ts'
import { extractApplicationPart, isDirectoryType, rejectDirectoryType, withDirectory } from './directory-schema.ts'
import { diffWithBlocking } from './schema-conflicts.ts'

/* Validation files of applications, in SpiceDB's format. Load this module on demand, because it needs a YAML library. */

const batchSize = 1000

/** Exports the schema, the relationships of applications, and the assertions as a validation file. */
export async function exportFile(engine: PermissionEngine, sql: Sql): Promise<FileDownload> {
  const { text } = await engine.readSchema()
  const saved = (await assertions.list(sql)).map(({ assertion }) => assertion)
  const checks = saved.filter((assertion) => assertion.kind !== 'validation') satisfies FileAssertion[]
  const validations = saved.filter((assertion) => assertion.kind === 'validation') satisfies FileValidation[]
  return {
    type: 'application/yaml',
    name: `permissions-${new Date().toISOString().slice(0, 10)}.yaml`,
    parts: printValidationFile(text, exportRelationships(engine), checks, validations),
  }
}

async function* exportRelationships(engine: PermissionEngine): AsyncGenerator<Relationship[]> {
  const { definitions } = await engine.reflectSchema()
  for (const { name: resourceType } of definitions) {
    if (isDirectoryType(resourceType)) continue
    yield* readPages((page) => engine.readRelationships({ resourceType }, { limit: batchSize, ...page }))
  }
}

/**
 * Imports the schema, the relationships and the assertions of a validation file: atomically if the engine has `load`,
 * otherwise in batches. An error then leaves a part of them written; a retry completes the import, because
 * relationships are touched.
 */
export async function importFile(
  engine: PermissionEngine,
  sql: Sql,
  text: string,
  { isDryRun, auditContext }: { isDryRun: boolean; auditContext: AuditContext },
) {
  const file = await parseValidationFile(text, setImmediate)
  const { schema, relationships } = file
  const differences = schema === undefined ? [] : await diffWithBlocking(engine, schema)
  const counts = {
    differences,
    relationships: relationships.length,
    assertions: (file.assertions?.length ?? 0) + (file.validations?.length ?? 0),
    isAtomic: engine.load !== undefined,
  }
  await checkAssertions(engine, file)
  // `load` checks each relationship itself.
  if (isDryRun || !engine.load) await checkRelationships(engine, file)
  if (isDryRun) {
    await runAndRollBack(sql, (sql) => saveAssertions(sql, file))
    return { ...counts, writtenAt: null }
  }
  const { content } = auditOptions(sql, auditContext)
  const options = {
    ...content,
    record: async (change: Parameters<typeof content.record>[0], within?: unknown) => {
      const replaced = await saveAssertions((within ?? sql) as Sql, file)
      await content.record({ ...change, ...(replaced && { assertions: replaced }) }, within)
    },
  }
  const loadInput = { ...(schema !== undefined && { schema }), relationships }
  if (!engine.load) return { ...counts, ...(await loadInBatches(engine, loadInput, options)) }
  try {
    return { ...counts, ...(await engine.load(loadInput, options)) }
  } catch (error) {
    // The load stops at the first invalid relationship; this reports all of them with their lines.
    if (error instanceof PermissionError && error.field?.startsWith('relationships.'))
      await checkRelationships(engine, file)
    throw error
  }
}

/** Runs the work in a transaction for its errors only, and rolls it back. */
async function runAndRollBack(sql: Sql, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const rollback = new Error('Dry run')
  await transaction(sql, async (sql) => {
    await work(sql)
    throw rollback
  }).catch((error) => {
    if (error !== rollback) throw error
  })
}

type Load = NonNullable<PermissionEngine['load']>

/** Writes like `load`, but not atomically. */
async function loadInBatches(
  engine: PermissionEngine,
  { schema, relationships }: Parameters<Load>[0],
  { by, record }: NonNullable<Parameters<Load>[1]>,
): ReturnType<Load> {
  const before = (await engine.readSchema()).text
  let written = schema === undefined ? undefined : await engine.writeSchema(schema, { by })
  const total: RelationshipChange = { before: [], after: [], removed: 0, written: 0 }
  for (let start = 0; start < relationships.length; start += batchSize) {
    const updates = relationships
      .slice(start, start + batchSize)
      .map((relationship) => ({ operation: 'touch' as const, relationship }))
    written = await engine.writeRelationships(updates, [], {
      by,
      record: async (change) => {
        if (total.before.length < batchSize) total.before.push(...change.before)
        if (total.after.length < batchSize) total.after.push(...change.after)
        total.removed += change.removed
        total.written += change.written
      },
    })
  }
  await record?.({ ...total, ...(schema !== undefined && { schema: { before, after: schema } }) })
  return { writtenAt: written?.writtenAt ?? (await engine.readSchema()).readAt }
}

/** Replaces the saved assertions of the kinds in the file; returns both, or undefined if the file has none. */
async function saveAssertions(sql: Sql, { assertions: checks, validations }: ValidationFile) {
  if (!checks && !validations) return undefined
  const kinds: NewAssertion['kind'][] = [
    ...(checks ? (['assertTrue', 'assertFalse', 'assertCaveated'] as const) : []),
    ...(validations ? (['validation'] as const) : []),
  ]
  const after: NewAssertion[] = [
    ...((checks ?? []) as NewAssertion[]),
    ...(validations ?? []).map((validation) => ({ kind: 'validation' as const, ...validation })),
  ]
  const before = await assertions.replace(sql, kinds, after)
  if ((await assertions.count(sql)) > maxAssertions)
    throw new PermissionError('too-many', `At most ${maxAssertions} assertions can be saved.`, 'yaml')
  return { before, after }
}

/**
 * Checks the relationships of a file against its schema, or against the current one. Throws `FileError` with the errors
 * of the first hundred invalid relationships and their lines.
 */
async function checkRelationships(engine: PermissionEngine, file: ValidationFile): Promise<void> {
  const schema = await compileFileSchema(engine, file)
  const problems: FileProblem[] = []
  for (const [index, relationship] of file.relationships.entries()) {
    const check = () => {
      rejectDirectoryType(relationship.resource.type, '')
      validateRelationship(schema, relationship, '')
    }
    collectProblem(problems, check, () => file.positionOf(index))
    if (index % batchSize === 0) await setImmediate()
  }
  if (problems.length > 0) throw new FileError(problems)
}

/** Checks the requests of the assertions and validations. Throws `FileError` with the position of their section. */
async function checkAssertions(engine: PermissionEngine, file: ValidationFile): Promise<void> {
  const { assertions = [], validations = [], sectionPosition } = file
  if (assertions.length + validations.length === 0) return
  const plan = getPlan(await compileFileSchema(engine, file), new Names())
  const problems: FileProblem[] = []
  for (const { question: request } of assertions)
    collectProblem(
      problems,
      () => validateCheck(plan, request),
      () => sectionPosition('assertions'),
    )
  for (const { resource, permission } of validations)
    collectProblem(
      problems,
      () => validateResource(plan, resource, permission),
      () => sectionPosition('validation'),
    )
  if (problems.length > 0) throw new FileError(problems)
}

/** Runs a check and adds its error, up to the maximum number. */
function collectProblem(problems: FileProblem[], check: () => void, position: () => Omit<FileProblem, 'message'>) {
  if (problems.length >= maxProblems) return
  try {
    check()
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    problems.push({ message: error.message, code: error.code, ...position() })
  }
}

async function compileFileSchema(engine: PermissionEngine, { schema }: ValidationFile): Promise<Schema> {
  if (schema === undefined) return compileSchema((await engine.readSchema()).text)
  return compileSchema(engine.kind === 'embedded' ? withDirectory(extractApplicationPart(schema)) : schema)
}
