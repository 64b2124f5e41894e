import * as api from '@passport/contract/permissions'
import { transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { etagOf } from '../http/conditional.ts'
import { Created, WithETag } from '../http/serve.ts'
import * as assertions from './assertion-store.ts'
import { auditOptions, printAssertion, recordEvent } from './audit-options.ts'
import type { ServeTool } from './error-problem.ts'
import * as problems from './problems.ts'
import { evaluateAssertion, runAssertions } from './run-assertions.ts'
import { diffWithBlocking } from './schema-conflicts.ts'

const fields = { schema: 'text' }

/** Serves the schema, the validation file, and the assertions. */
export function serveSchemaAndFiles(serve: ServeTool, { permissions: engine, sql }: Services): void {
  serve(api.getPermissionSchema, async ({ preconditions }) => {
    const { text, readAt } = await engine.readSchema()
    const validators = { etag: etagOf(text) }
    preconditions.check(validators)
    return new WithETag({ text, readAt, ...(await engine.reflectSchema()) }, validators)
  })
  serve(
    api.putPermissionSchema,
    async ({ body: { text }, caller, visit, preconditions }) => {
      if (preconditions.areSent) preconditions.check({ etag: etagOf((await engine.readSchema()).text) })
      const differences = await diffWithBlocking(engine, text)
      const { by, record } = auditOptions(sql, { caller, visit }).schema
      let activeText: string | undefined
      const { writtenAt } = await engine.writeSchema(text, {
        by,
        record: async (change, writeTransaction) => {
          // Checked again in the write's transaction, if the engine has one, so that no concurrent change is overwritten.
          if (writeTransaction !== undefined) {
            preconditions.check({ etag: etagOf(change.before) })
            activeText = change.after
          }
          await record(change, writeTransaction)
        },
      })
      return new WithETag({ writtenAt, differences }, { etag: etagOf(activeText ?? (await engine.readSchema()).text) })
    },
    fields,
  )
  serve(
    api.diffPermissionSchema,
    async ({ body: { text } }) => ({ differences: await diffWithBlocking(engine, text) }),
    fields,
  )

  // The module is loaded on demand, because it needs a YAML library.
  serve(api.exportPermissions, async ({ caller, visit }) => {
    const { exportFile } = await import('./validation-file.ts')
    await recordEvent(sql, { caller, visit }, { action: 'permissions.exported' })
    return exportFile(engine, sql)
  })
  serve(api.importPermissions, async ({ body, query: { dryRun = false }, caller, visit }) => {
    const { importFile } = await import('./validation-file.ts')
    return importFile(engine, sql, body, { isDryRun: dryRun, auditContext: { caller, visit } })
  })

  serve(api.listAssertions, async () => ({ items: await assertions.list(sql) }))
  serve(api.createAssertion, async ({ body, caller, visit }) => {
    // Only for its errors.
    await evaluateAssertion(engine, body)
    const saved = await transaction(sql, async (sql) => {
      if ((await assertions.count(sql)) >= api.maxAssertions) throw problems.tooManyAssertions(api.maxAssertions)
      const [saved] = await assertions.add(sql, [body])
      if (!saved) throw new Error('The assertion was not saved')
      const after = { assertion: printAssertion(body) }
      await recordEvent(sql, { caller, visit }, { action: 'permissions.assertion-saved', id: saved.id, after })
      return saved
    })
    return new Created(saved, `${api.listAssertions.path}/${saved.id}`, { etag: etagOf(saved.id) })
  })
  serve(api.deleteAssertion, ({ params: { assertionId }, caller, visit }) =>
    transaction(sql, async (sql) => {
      const removed = await assertions.remove(sql, assertionId)
      if (!removed) throw problems.assertionNotFound()
      const before = { assertion: printAssertion(removed.assertion) }
      await recordEvent(sql, { caller, visit }, { action: 'permissions.assertion-deleted', id: assertionId, before })
    }),
  )
  serve(api.runAssertions, async () => runAssertions(engine, await assertions.list(sql)))
}
