import * as api from '@passport/contract/permissions'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import type { Routes, Services } from '../feature.ts'
import { etagOf } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { Created, WithETag } from '../http/serve.ts'
import * as assertions from './assertion-store.ts'
import { auditOptions, printAssertion, toActorFields } from './audit-options.ts'
import { exportFile } from './export-file.ts'
import { withProblems } from './fault-problem.ts'
import { importFile } from './import-file.ts'
import { evaluateAssertion, maxAssertions, runAssertions } from './run-assertions.ts'
import { diffWithBlocking } from './schema-differences.ts'

const fieldNames = { schema: 'text' }

/** The schema, the validation file, and the assertions. */
export function serveSchemaAndFiles({ serve }: Routes, services: Services): void {
  const { permissions: engine, sql } = services

  serve(api.getPermissionSchema, ({ preconditions }) =>
    withProblems(async () => {
      const { text, readAt } = await engine.readSchema()
      const validators = { etag: etagOf(text) }
      preconditions.check(validators)
      return new WithETag({ text, readAt, ...(await engine.reflectSchema()) }, validators)
    }),
  )
  serve(api.putPermissionSchema, ({ body: { text }, caller, visit, preconditions }) =>
    withProblems(async () => {
      if (preconditions.areSent) preconditions.check({ etag: etagOf((await engine.readSchema()).text) })
      const differences = await diffWithBlocking(engine, text)
      const { by, record } = auditOptions(sql, { caller, visit }).schema
      let activeText: string | undefined
      const { writtenAt } = await engine.writeSchema(text, {
        by,
        record: async (change, writeTransaction) => {
          // Checked in the write's transaction, if the engine has one, so that a concurrent change is not overwritten.
          if (writeTransaction !== undefined) {
            preconditions.check({ etag: etagOf(change.before) })
            activeText = change.after
          }
          await record(change, writeTransaction)
        },
      })
      return new WithETag({ writtenAt, differences }, { etag: etagOf(activeText ?? (await engine.readSchema()).text) })
    }, fieldNames),
  )
  serve(api.diffPermissionSchema, ({ body: { text } }) =>
    withProblems(async () => ({ differences: await diffWithBlocking(engine, text) }), fieldNames),
  )

  serve(api.exportPermissions, async ({ caller, visit }) => {
    await audit.record(sql, {
      ...toActorFields({ caller, visit }),
      action: 'permissions.exported',
      target: { kind: 'permissions', id: null },
    })
    return exportFile(engine, sql)
  })
  serve(api.importPermissions, ({ body, query: { dryRun = false }, caller, visit }) =>
    withProblems(() => importFile(services, { text: body, isDryRun: dryRun, auditContext: { caller, visit } })),
  )

  serve(api.listAssertions, async () => ({ items: await assertions.list(sql) }))
  serve(api.createAssertion, ({ body, caller, visit }) =>
    withProblems(async () => {
      // Rejects invalid assertions before saving.
      await evaluateAssertion(engine, body)
      const saved = await transaction(sql, async (sql) => {
        if ((await assertions.count(sql)) >= maxAssertions)
          throw new Problem(409, 'too-many-assertions', `At most ${maxAssertions} assertions can be saved.`)
        const [saved] = await assertions.add(sql, [body])
        if (!saved) throw new Error('The assertion was not saved')
        await audit.record(sql, {
          ...toActorFields({ caller, visit }),
          action: 'permissions.assertion-saved',
          target: { kind: 'permissions', id: saved.id },
          after: { assertion: printAssertion(body) },
        })
        return saved
      })
      return new Created(saved, `${api.listAssertions.path}/${saved.id}`, { etag: etagOf(saved.id) })
    }),
  )
  serve(api.deleteAssertion, ({ params: { assertionId }, caller, visit }) =>
    transaction(sql, async (sql) => {
      const removed = await assertions.remove(sql, assertionId)
      if (!removed) throw new Problem(404, 'assertion-not-found', 'Assertion not found.')
      await audit.record(sql, {
        ...toActorFields({ caller, visit }),
        action: 'permissions.assertion-deleted',
        target: { kind: 'permissions', id: assertionId },
        before: { assertion: printAssertion(removed.assertion) },
      })
    }),
  )
  serve(api.runAssertions, () => withProblems(async () => runAssertions(engine, await assertions.list(sql))))
}
