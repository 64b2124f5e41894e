import * as api from '@passport/contract/permissions'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import { etagOf } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { Created, Tagged } from '../http/serve.ts'
import type { Routes, Services } from '../room.ts'
import * as assertions from './assertion-store.ts'
import { actorOf, audited, lineOf } from './author.ts'
import { exportFile } from './export-file.ts'
import { told } from './fault-problem.ts'
import { importFile } from './import-file.ts'
import { maxAssertions, runAssertions, tryOut } from './run-assertions.ts'
import { differencesOf } from './schema-differences.ts'

const inText = { schema: 'text' }

/** The schema, the validation file, and what must hold. */
export function serveFiles({ serve }: Routes, services: Services): void {
  const { permissions: engine, sql } = services

  serve(api.getPermissionSchema, ({ preconditions }) =>
    told(async () => {
      const { text, readAt } = await engine.readSchema()
      const validators = { etag: etagOf(text) }
      preconditions.check(validators)
      return new Tagged({ text, readAt, ...(await engine.reflectSchema()) }, validators)
    }),
  )
  serve(api.putPermissionSchema, ({ body: { text }, caller, visit, preconditions }) =>
    told(async () => {
      if (preconditions.areSent) preconditions.check({ etag: etagOf((await engine.readSchema()).text) })
      const differences = await differencesOf(engine, text)
      const { by, record } = audited(sql, { caller, visit }).schema
      let standing: string | undefined
      const { writtenAt } = await engine.writeSchema(text, {
        by,
        record: async (change, within) => {
          // In its own transaction, where the engine has one: what others saved meanwhile is not replaced unseen.
          if (within !== undefined) {
            preconditions.check({ etag: etagOf(change.before) })
            standing = change.after
          }
          await record(change, within)
        },
      })
      return new Tagged({ writtenAt, differences }, { etag: etagOf(standing ?? (await engine.readSchema()).text) })
    }, inText),
  )
  serve(api.diffPermissionSchema, ({ body: { text } }) =>
    told(async () => ({ differences: await differencesOf(engine, text) }), inText),
  )

  serve(api.exportPermissions, async ({ caller, visit }) => {
    await audit.record(sql, {
      ...actorOf({ caller, visit }),
      action: 'permissions.exported',
      target: { kind: 'permissions', id: null },
    })
    return exportFile(engine, sql)
  })
  serve(api.importPermissions, ({ body, query: { dryRun = false }, caller, visit }) =>
    told(() => importFile(services, { text: body, isDry: dryRun, doing: { caller, visit } })),
  )

  serve(api.listAssertions, async () => ({ items: await assertions.list(sql) }))
  serve(api.createAssertion, ({ body, caller, visit }) =>
    told(async () => {
      // What cannot be asked is refused now.
      await tryOut(engine, body)
      const saved = await transaction(sql, async (sql) => {
        if ((await assertions.count(sql)) >= maxAssertions)
          throw new Problem(409, 'too-many-assertions', `At most ${maxAssertions} can be saved.`)
        const [saved] = await assertions.add(sql, [body])
        if (!saved) throw new Error('Nothing was saved')
        await audit.record(sql, {
          ...actorOf({ caller, visit }),
          action: 'permissions.assertion-saved',
          target: { kind: 'permissions', id: saved.id },
          after: { assertion: lineOf(body) },
        })
        return saved
      })
      return new Created(saved, `${api.listAssertions.path}/${saved.id}`, { etag: etagOf(saved.id) })
    }),
  )
  serve(api.deleteAssertion, ({ params: { assertionId }, caller, visit }) =>
    transaction(sql, async (sql) => {
      const removed = await assertions.remove(sql, assertionId)
      if (!removed) throw new Problem(404, 'assertion-not-found', 'There is no such assertion.')
      await audit.record(sql, {
        ...actorOf({ caller, visit }),
        action: 'permissions.assertion-deleted',
        target: { kind: 'permissions', id: assertionId },
        before: { assertion: lineOf(removed.assertion) },
      })
    }),
  )
  serve(api.runAssertions, () => told(async () => runAssertions(engine, await assertions.list(sql))))
}
