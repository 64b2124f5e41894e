import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { action } from './request-body.ts'
import { RoleEffect } from './role-effect.ts'
import { UserFilter } from './users.ts'

/** The maximum number of ids; a filter may match up to 10,000 users. */
export const maxBulkIds = 1000

export const BulkAction = z.enum(['disable', 'enable', 'addRole', 'removeRole', 'signout', 'delete', 'restore'])
export type BulkAction = z.infer<typeof BulkAction>

export const BulkChange = z
  .object({
    action: BulkAction,
    /** For `addRole` and `removeRole`. */
    role: z.optional(z.string()),
    ids: z.optional(z.array(z.string().check(z.maxLength(100))).check(z.minLength(1), z.maxLength(maxBulkIds))),
    query: z.optional(UserFilter),
    /** Returns the effect, and writes nothing. */
    dryRun: z._default(z.boolean(), false),
    /** Confirms a change after which the caller would no longer be an administrator. */
    confirmSelfDemotion: z._default(z.boolean(), false),
  })
  .check(
    z.refine(({ ids, query }) => (ids === undefined) !== (query === undefined), {
      path: ['ids'],
      error: 'Send either ids or a query, not both.',
    }),
    z.refine(({ action, role }) => (role !== undefined) === (action === 'addRole' || action === 'removeRole'), {
      path: ['role'],
      error: 'A role is required for addRole and removeRole, and not allowed for other actions.',
    }),
  )
export type BulkChange = z.infer<typeof BulkChange>

/**
 * The failure of one user. `code` is the problem code of a change of this user alone, or of the error that ended the
 * bulk change before it reached the user, such as `internal-error`.
 */
const Failed = z.object({ id: z.string(), code: z.string() })
export type BulkFailure = z.infer<typeof Failed>

/** The counts add up to the number of requested users; `unchanged` already had the target state. */
export const BulkResult = z
  .object({
    done: z.int(),
    unchanged: z.int(),
    failed: z.array(Failed),
    /** Undoes the changes, until `undoUntil`; null if nothing changed or the action cannot be undone. */
    undoToken: z.nullable(z.string()),
    undoUntil: z.nullable(Instant),
    /** Only for a dry run. */
    preview: z.optional(RoleEffect),
  })
  .check(z.meta({ id: 'BulkResult' }))
export type BulkResult = z.infer<typeof BulkResult>

export const bulkChangeUsers = endpoint('POST', '/passport/admin/users/bulk', {
  summary: 'Change users in bulk',
  description: 'Returns a result for each user.',
  access: 'admin',
  recent: { ifRoles: true, ifGivesRoles: true },
  body: action(BulkChange),
  returns: json(BulkResult),
})

/**
 * Fails with 404 `undo-not-found` or 410 `undo-expired`. `failed` lists users who changed since the bulk change, or for
 * whom it was undone before.
 */
export const undoBulkChange = endpoint('POST', '/passport/admin/users/bulk/undo', {
  summary: 'Undo a bulk change of users',
  access: 'admin',
  recent: { ifGivesRoles: true },
  body: action(z.object({ undoToken: z.string(), confirmSelfDemotion: z._default(z.boolean(), false) })),
  returns: json(z.object({ done: z.int(), failed: z.array(Failed) })),
  fails: [404, 410],
})
