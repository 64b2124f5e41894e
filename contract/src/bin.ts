import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'

/** For so long what was deleted can be given back. */
export const restorableDays = 30

const BinKind = z.enum(['user', 'org', 'group'])
export type BinKind = z.infer<typeof BinKind>

/** Something that was deleted and can still be given back. */
export const BinEntry = z
  .object({
    kind: BinKind,
    id: z.string(),
    name: z.string(),
    /** What tells it from others of its name: an e-mail, a slug, a description. */
    detail: z.nullable(z.string()),
    deletedAt: Instant,
    /** Null where the system did it. */
    deletedBy: z.nullable(z.object({ id: z.string(), name: z.string() })),
    restorableUntil: Instant,
  })
  .check(z.meta({ id: 'BinEntry' }))
export type BinEntry = z.infer<typeof BinEntry>

export const listBin = endpoint('GET', '/passport/admin/bin', {
  summary: 'List what was deleted and can be given back, latest first',
  access: 'admin',
  query: z.extend(CursorQuery, { kind: z.optional(BinKind) }),
  returns: json(cursorPage(BinEntry)),
})
