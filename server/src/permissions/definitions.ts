import { isDeepStrictEqual } from 'node:util'
import type { NewAssertion } from '@passport/contract/permissions'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as assertionStore from './assertion-store.ts'
import { printAssertion } from './audit-options.ts'
import * as commitStore from './commit-store.ts'
import { compileWithDirectory, createSchemaCache, extractApplicationPart } from './directory-schema.ts'
import { withProblems } from './error-problem.ts'
import { prepareSchema } from './schema.ts'

/** What an application defines: its part of the schema, and the assertions about it. */
interface Definitions {
  schema: string
  assertions: NewAssertion[]
}

/** Reads the schema and the assertions of the embedded engine. */
export async function readDefinitions(sql: Sql): Promise<Definitions> {
  const schema = await readSchema(sql)
  const saved = await assertionStore.list(sql)
  return { schema, assertions: saved.map(({ assertion }) => assertion) }
}

async function readSchema(sql: Sql): Promise<string> {
  const { schemaId } = await commitStore.readHead(sql)
  const { text } = await createSchemaCache().find(sql, schemaId)
  return extractApplicationPart(text)
}

/** Returns the application's part of a schema. Throws the problem `schema-invalid` with a position for each error. */
export const checkSchema = (text: string): Promise<string> =>
  withProblems(async () => {
    const part = extractApplicationPart(text)
    await compileWithDirectory(part)
    return part
  })

/**
 * Replaces the schema and the assertions of the embedded engine, in the caller's transaction. Throws the problem
 * `schema-in-use` if a relationship needs what the schema no longer has.
 */
export async function replaceDefinitions(
  sql: Sql,
  { schema, assertions }: Definitions,
  context: ChangeContext,
): Promise<void> {
  if (schema !== (await readSchema(sql)))
    await withProblems(async () => {
      const { change, activate } = await prepareSchema(sql, createSchemaCache(), schema, undefined)
      const sides = { before: { schema: change.before }, after: { schema: change.after } }
      await record(sql, context, { action: 'permissions.schema-changed', ...sides })
      await activate()
    })
  const isIn = (all: NewAssertion[], assertion: NewAssertion) => all.some((item) => isDeepStrictEqual(item, assertion))
  const saved = await assertionStore.list(sql)
  for (const { id, assertion } of saved) {
    if (isIn(assertions, assertion)) continue
    await assertionStore.remove(sql, id)
    const before = { assertion: printAssertion(assertion) }
    await record(sql, context, { action: 'permissions.assertion-deleted', id, before })
  }
  const existing = saved.map(({ assertion }) => assertion)
  const added = assertions.filter((assertion) => !isIn(existing, assertion))
  for (const { id, assertion } of added.length > 0 ? await assertionStore.add(sql, added) : []) {
    const after = { assertion: printAssertion(assertion) }
    await record(sql, context, { action: 'permissions.assertion-saved', id, after })
  }
}

const record = (
  sql: Sql,
  context: ChangeContext,
  { id, ...event }: Pick<audit.AuditEvent, 'action' | 'before' | 'after'> & { id?: string },
) => audit.record(sql, { ...toActorFields(context), target: { kind: 'permissions', id: id ?? null }, ...event })
