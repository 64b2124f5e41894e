import { setImmediate } from 'node:timers/promises'
import type { NewAssertion } from '@passport/contract/permissions'
import type { PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { Relationship } from '@passport/permissions/relationship'
import type { ValidationFile } from '@passport/permissions/validation-file'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../room.ts'
import * as assertions from './assertion-store.ts'
import { audited, type Doing } from './author.ts'
import { maxAssertions } from './run-assertions.ts'
import { differencesOf } from './schema-differences.ts'

interface Given {
  text: string
  /** Nothing is written; what would be is told. */
  isDry: boolean
  doing: Doing
}

const batchSize = 1000

/**
 * Takes a validation file in: its schema, its relationships and what must hold. All of it or nothing where the engine
 * can load at once; otherwise piece by piece, and what is wrong stops it half-way, which trying again mends: everything
 * is touched.
 */
export async function importFile({ permissions: engine, sql }: Services, { text, isDry, doing }: Given) {
  const { parseValidationFile } = await import('@passport/permissions/validation-file')
  const { checkAssertions, checkRelationships } = await import('./check-file.ts')
  const file = await parseValidationFile(text, setImmediate)
  const { schema, relationships } = file
  const differences = schema === undefined ? [] : await differencesOf(engine, schema)
  const counts = {
    differences,
    relationships: relationships.length,
    assertions: (file.assertions?.length ?? 0) + (file.validations?.length ?? 0),
    isAtomic: engine.load !== undefined,
  }
  await checkAssertions(engine, file)
  // Where it is all or nothing the engine checks each of them itself.
  if (isDry || !engine.load) await checkRelationships(engine, file)
  if (isDry) {
    await undone(sql, (sql) => saveAssertions(sql, file))
    return { ...counts, writtenAt: null }
  }
  const { content } = audited(sql, doing)
  const options = {
    ...content,
    record: async (change: Parameters<typeof content.record>[0], within?: unknown) => {
      const replaced = await saveAssertions((within ?? sql) as Sql, file)
      await content.record({ ...change, ...(replaced && { assertions: replaced }) }, within)
    },
  }
  const given = { ...(schema !== undefined && { schema }), relationships }
  if (!engine.load) return { ...counts, ...(await loadInPieces(engine, given, options)) }
  try {
    return { ...counts, ...(await engine.load(given, options)) }
  } catch (error) {
    // It stops at the first that is wrong; all of them are told, with their lines.
    if (error instanceof PermissionFault && error.field?.startsWith('relationships.'))
      await checkRelationships(engine, file)
    throw error
  }
}

/** Does it, for the faults that it may throw, and takes it back. */
async function undone(sql: Sql, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const over = new Error('Only tried')
  await transaction(sql, async (sql) => {
    await work(sql)
    throw over
  }).catch((error) => {
    if (error !== over) throw error
  })
}

type Load = NonNullable<PermissionEngine['load']>

async function loadInPieces(
  engine: PermissionEngine,
  { schema, relationships }: Parameters<Load>[0],
  { by, record }: NonNullable<Parameters<Load>[1]>,
): ReturnType<Load> {
  const before = (await engine.readSchema()).text
  let written = schema === undefined ? undefined : await engine.writeSchema(schema, { ...(by && { by }) })
  const told: { before: Relationship[]; after: Relationship[] } = { before: [], after: [] }
  let [removed, count] = [0, 0]
  for (let at = 0; at < relationships.length; at += batchSize) {
    const updates = relationships
      .slice(at, at + batchSize)
      .map((relationship) => ({ operation: 'touch' as const, relationship }))
    written = await engine.writeRelationships(updates, [], {
      ...(by && { by }),
      record: async (change) => {
        if (told.after.length < batchSize) told.after.push(...change.after)
        if (told.before.length < batchSize) told.before.push(...change.before)
        removed += change.removed
        count += change.written
      },
    })
  }
  const change = { ...told, removed, written: count }
  await record?.({ ...change, ...(schema !== undefined && { schema: { before, after: schema } }) })
  return { writtenAt: written?.writtenAt ?? (await engine.readSchema()).readAt }
}

/** What the file has of them stands in the place of what was saved; what it does not have is left alone. */
async function saveAssertions(sql: Sql, { assertions: asked, validations }: ValidationFile) {
  if (!asked && !validations) return undefined
  const before: NewAssertion[] = []
  const after: NewAssertion[] = []
  const replace = async (kinds: NewAssertion['kind'][], others: NewAssertion[]) => {
    before.push(...(await assertions.replace(sql, kinds, others)))
    after.push(...others)
  }
  if (asked) await replace(['assertTrue', 'assertFalse', 'assertCaveated'], asked as NewAssertion[])
  if (validations)
    await replace(
      ['validation'],
      validations.map((one) => ({ kind: 'validation' as const, ...one })),
    )
  if ((await assertions.count(sql)) > maxAssertions)
    throw new PermissionFault('too-many', `At most ${maxAssertions} assertions can be saved.`, 'yaml')
  return { before, after }
}
