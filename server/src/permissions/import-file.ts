import { setImmediate } from 'node:timers/promises'
import type { NewAssertion } from '@passport/contract/permissions'
import { type PermissionEngine, PermissionFault, type Relationship } from '@passport/permissions'
import type { ValidationFile } from '@passport/permissions/validation-file'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import * as assertions from './assertion-store.ts'
import { type AuditContext, auditOptions } from './audit-options.ts'
import { maxAssertions } from './run-assertions.ts'
import { diffWithBlocking } from './schema-differences.ts'

interface ImportRequest {
  text: string
  /** Whether this is a dry run, which only reports the result. */
  isDryRun: boolean
  auditContext: AuditContext
}

const batchSize = 1000

/**
 * Imports a validation file: its schema, relationships and assertions. Atomic if the engine supports `load`. Otherwise
 * it writes in batches, and an error stops it halfway; a retry completes it, because every relationship is touched.
 */
export async function importFile(
  { permissions: engine, sql }: Services,
  { text, isDryRun, auditContext: context }: ImportRequest,
) {
  const { parseValidationFile } = await import('@passport/permissions/validation-file')
  const { checkAssertions, checkRelationships } = await import('./check-file.ts')
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
  // An atomic load checks each relationship itself.
  if (isDryRun || !engine.load) await checkRelationships(engine, file)
  if (isDryRun) {
    await runAndRollBack(sql, (sql) => saveAssertions(sql, file))
    return { ...counts, writtenAt: null }
  }
  const { content } = auditOptions(sql, context)
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
    if (error instanceof PermissionFault && error.field?.startsWith('relationships.'))
      await checkRelationships(engine, file)
    throw error
  }
}

/** Runs the work for its faults, then rolls it back. */
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

async function loadInBatches(
  engine: PermissionEngine,
  { schema, relationships }: Parameters<Load>[0],
  { by, record }: NonNullable<Parameters<Load>[1]>,
): ReturnType<Load> {
  const before = (await engine.readSchema()).text
  let written = schema === undefined ? undefined : await engine.writeSchema(schema, { ...(by && { by }) })
  const listed: { before: Relationship[]; after: Relationship[] } = { before: [], after: [] }
  let [removed, count] = [0, 0]
  for (let at = 0; at < relationships.length; at += batchSize) {
    const updates = relationships
      .slice(at, at + batchSize)
      .map((relationship) => ({ operation: 'touch' as const, relationship }))
    written = await engine.writeRelationships(updates, [], {
      ...(by && { by }),
      record: async (change) => {
        if (listed.after.length < batchSize) listed.after.push(...change.after)
        if (listed.before.length < batchSize) listed.before.push(...change.before)
        removed += change.removed
        count += change.written
      },
    })
  }
  const change = { ...listed, removed, written: count }
  await record?.({ ...change, ...(schema !== undefined && { schema: { before, after: schema } }) })
  return { writtenAt: written?.writtenAt ?? (await engine.readSchema()).readAt }
}

/** Replaces the saved assertions of the kinds in the file, and keeps other kinds. */
async function saveAssertions(sql: Sql, { assertions: checks, validations }: ValidationFile) {
  if (!checks && !validations) return undefined
  const before: NewAssertion[] = []
  const after: NewAssertion[] = []
  const replace = async (kinds: NewAssertion['kind'][], added: NewAssertion[]) => {
    before.push(...(await assertions.replace(sql, kinds, added)))
    after.push(...added)
  }
  if (checks) await replace(['assertTrue', 'assertFalse', 'assertCaveated'], checks as NewAssertion[])
  if (validations)
    await replace(
      ['validation'],
      validations.map((validation) => ({ kind: 'validation' as const, ...validation })),
    )
  if ((await assertions.count(sql)) > maxAssertions)
    throw new PermissionFault('too-many', `At most ${maxAssertions} assertions can be saved.`, 'yaml')
  return { before, after }
}
