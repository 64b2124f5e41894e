import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { RoleEffect } from './role-effect.ts'
import { UserFilter } from './users.ts'

/** At most so many people by their ids; a filter may find as many as are counted. */
export const maxBulkIds = 1000

export const BulkAction = z.enum(['disable', 'enable', 'addRole', 'removeRole', 'signout', 'delete', 'restore'])
export type BulkAction = z.infer<typeof BulkAction>

export const BulkChange = z
  .strictObject({
    action: BulkAction,
    /** For `addRole` and `removeRole`. */
    role: z.optional(z.string()),
    ids: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(maxBulkIds))),
    query: z.optional(UserFilter),
    /** Tells what would happen, and writes nothing. */
    dryRun: z._default(z.boolean(), false),
    /** The caller means it where they would not be an administrator any more. */
    confirmSelfDemotion: z._default(z.boolean(), false),
  })
  .check(
    z.refine(({ ids, query }) => (ids === undefined) !== (query === undefined), {
      path: ['ids'],
      error: 'Send either ids or a query.',
    }),
    z.refine(({ action, role }) => (role !== undefined) === (action === 'addRole' || action === 'removeRole'), {
      path: ['role'],
      error: 'addRole and removeRole need a role, and nothing else takes one.',
    }),
  )
export type BulkChange = z.infer<typeof BulkChange>

/**
 * What became of one person; `code` is that of the problem which the same change of them alone would have met, or
 * `internal-error` where it broke before it came to them.
 */
const Failed = z.object({ id: z.string(), code: z.string() })
export type BulkFailure = z.infer<typeof Failed>

/** Counts add up to the people that were asked for; `unchanged` were so already. */
export const BulkResult = z
  .object({
    done: z.int(),
    unchanged: z.int(),
    failed: z.array(Failed),
    /** Takes back exactly what changed, until then; null where nothing did, or where it cannot be. */
    undoToken: z.nullable(z.string()),
    undoUntil: z.nullable(Instant),
    /** Of a dry run. */
    preview: z.optional(RoleEffect),
  })
  .check(z.meta({ id: 'BulkResult' }))
export type BulkResult = z.infer<typeof BulkResult>

export const bulkChangeUsers = endpoint('POST', '/passport/admin/users/bulk', {
  summary: 'Change many people at once, with a result for each',
  access: 'admin',
  body: json(BulkChange),
  returns: json(BulkResult),
})

/** 404 `undo-not-found`, 410 `undo-expired`. Who changed since, or was undone already, is told in `failed`. */
export const undoBulkChange = endpoint('POST', '/passport/admin/users/bulk/undo', {
  summary: 'Take a change of many people back',
  access: 'admin',
  body: json(z.strictObject({ undoToken: z.string(), confirmSelfDemotion: z._default(z.boolean(), false) })),
  returns: json(z.object({ done: z.int(), failed: z.array(Failed) })),
  fails: [404, 410],
})
