import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as users from '../users/store.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** Removes a connected account of a user. Throws 404. */
export function removeConnection(sql: Sql, userId: string, id: string, context: ChangeContext): Promise<void> {
  return transaction(sql, async (sql) => {
    await users.lock(sql, userId)
    await recheckCaller(sql, context.caller)
    const removed = await store.remove(sql, userId, id)
    if (!removed) throw problems.connectionNotFound()
    const { connector, externalId, label } = removed
    await audit.record(sql, {
      action: 'connection.removed',
      ...toActorFields(context),
      target: { kind: 'user', id: userId },
      before: { connector, externalId, label },
    })
  })
}
