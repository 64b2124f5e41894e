import { maxCorsStacks } from '@passport/contract/cors'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { tooManyStacks } from './problems.ts'
import * as store from './store.ts'

/** Replaces the saved origins of a stack; null resets them to the configuration. Throws 409 and 412. */
export function replaceOrigins(
  sql: Sql,
  stack: string,
  origins: string[] | null,
  context: ChangeContext & { preconditions: Preconditions },
): Promise<void> {
  return transaction(sql, async (sql) => {
    const current = await store.lock(sql, stack)
    await recheckCaller(sql, context.caller)
    context.preconditions.check(validatorsOf(current))
    if ((await store.count(sql)) > maxCorsStacks) throw tooManyStacks()
    const sorted = origins && [...new Set(origins)].sort()
    if (JSON.stringify(sorted) === JSON.stringify(current.origins)) return
    await store.save(sql, stack, sorted, context.caller.id)
    await audit.record(sql, {
      action: 'cors.changed',
      ...toActorFields(context),
      target: { kind: 'cors', id: stack },
      before: { origins: current.origins },
      after: { origins: sorted },
    })
  })
}

export const validatorsOf = ({ revision }: { revision: number }) => ({ etag: String(revision) })
