import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

/** Something that has a page of its own. */
export const FoundRecord = z
  .object({
    kind: z.enum(['user', 'org', 'group', 'role']),
    /** Of a role it is its name. */
    id: z.string(),
    name: z.string(),
    /** What tells it from others of its name: an e-mail, a slug, a description. */
    detail: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'FoundRecord' }))
export type FoundRecord = z.infer<typeof FoundRecord>

/** Finds by whole ids, e-mails, usernames and slugs, and by the beginnings of words; with 2 characters or more. */
export const searchRecords = endpoint('GET', '/passport/admin/search', {
  summary: 'Find users, organisations, groups and roles; at most ten',
  access: 'admin',
  query: z.object({ query: z.string().check(z.trim(), z.maxLength(100)) }),
  returns: json(z.array(FoundRecord)),
})
