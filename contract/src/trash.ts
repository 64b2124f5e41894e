import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'

/** The number of days for which a deleted record can be restored. */
export const restorableDays = 30

const TrashKind = z.enum(['user', 'org', 'group', 'client', 'identity-api', 'entitlement', 'aws-product', 'content'])
export type TrashKind = z.infer<typeof TrashKind>

/** A deleted record that can still be restored. */
export const TrashEntry = z
  .object({
    kind: TrashKind,
    id: z.string(),
    name: z.string(),
    /** Distinguishes records with the same name: the email, slug, description, client id, name in tokens, key, product code, or title. */
    detail: z.nullable(z.string()),
    deletedAt: Instant,
    /** Null if the system deleted it. */
    deletedBy: z.nullable(z.object({ id: z.string(), name: z.string() })),
    restorableUntil: Instant,
  })
  .check(z.meta({ id: 'TrashEntry' }))
export type TrashEntry = z.infer<typeof TrashEntry>

export const listTrash = endpoint('GET', '/passport/admin/trash', {
  summary: 'List deleted records in the trash, newest first',
  access: 'admin',
  query: z.extend(CursorQuery, {
    kind: z.optional(TrashKind),
    /** A part of the name or the detail, in any case, or a whole id. */
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
  }),
  returns: json(cursorPage(TrashEntry)),
})
