import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { CursorQuery, cursorPage } from './page.ts'
import { ItemError, lookupVerdictShape, verdictShape } from './permission-terms.ts'

/**
 * The permissions of the caller, as a subject of type `passport/user`. Permissions only:
 * relations, such as a ban list, are not disclosed. A permission that is unknown or not for people is
 * `permission-not-found` in both cases, and a missing resource has no permission.
 */
const own = { access: 'signedIn', rateLimit: { requests: 120, perSeconds: 60, by: 'caller' } } as const
const accessPath = '/passport/account/access'

/** A resource on which the caller has a permission; `name` comes from the directory, if known there. */
export const OwnResource = z
  .object({ id: z.string(), name: z.nullable(z.string()), ...lookupVerdictShape })
  .check(z.meta({ id: 'OwnResource' }))

export type OwnResource = z.infer<typeof OwnResource>

/** A permission of the caller, with the first resources by id; `next` is the path of the next page. */
export const OwnPermission = z
  .object({
    type: z.string(),
    permission: z.string(),
    items: z.array(OwnResource),
    next: z.nullable(z.string()),
    /** Set if the permission could not be evaluated; `items` is then empty. */
    error: z.exactOptional(ItemError),
  })
  .check(z.meta({ id: 'OwnPermission' }))
export type OwnPermission = z.infer<typeof OwnPermission>

/**
 * Returns only permissions with at least one resource, in the order of the schema. `next` is the path of the next page.
 * A page ends after 20 permissions or one second of evaluation, so that it may be empty and not be the last.
 */
export const listOwnPermissions = endpoint('GET', `${accessPath}/permissions`, {
  summary: 'List the permissions of the caller in applications',
  description: 'Includes the first resources of each permission.',
  ...own,
  query: z.object({ after: z.optional(z.string()) }),
  returns: json(z.object({ items: z.array(OwnPermission), next: z.nullable(z.string()) })),
})

const permissionQuery = { type: z.string(), permission: z.string() }

/** Ordered by id, without duplicates. */
export const listOwnResources = endpoint('GET', `${accessPath}/resources`, {
  summary: 'List resources on which the caller has a permission',
  ...own,
  query: z.extend(CursorQuery, permissionQuery),
  returns: json(cursorPage(OwnResource)),
  fails: [404, 409, 410],
})

const PathObject = z.object({ type: z.string(), id: z.string(), name: z.nullable(z.string()) })

/**
 * One relationship of a path. Only the name of its caveat is disclosed: its stored context may concern other people.
 */
export const PathStep = z
  .object({
    subject: z.extend(PathObject, { relation: z.exactOptional(z.string()) }),
    relation: z.string(),
    resource: PathObject,
    caveat: z.exactOptional(z.object({ name: z.string() })),
  })
  .check(z.meta({ id: 'PathStep' }))
export type PathStep = z.infer<typeof PathStep>

/**
 * The relationships that grant the permission, from the person to the resource. An intersection has one chain for each
 * operand; the list is empty if no relationship is needed. Discloses only what grants: no other members or exclusions
 * of a userset, and no caveat context. 501 if the engine cannot compute a path.
 */
export const explainOwnPermission = endpoint('GET', `${accessPath}/path`, {
  summary: 'Explain why the caller has a permission',
  description: 'Returns the relationships that grant it on the resource.',
  ...own,
  query: z.object({ ...permissionQuery, id: z.string() }),
  returns: json(z.object({ ...verdictShape, chains: z.array(z.array(PathStep)) })),
  fails: [404, 409, 501],
})
