import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { CursorQuery, cursorPage } from './page.ts'
import { ItemError, lookupVerdictShape, verdictShape } from './permission-terms.ts'

/*
 * The endpoints for the permissions of the caller, who is a subject of type `passport/user`. Relations, such as a ban
 * list, are not disclosed. A permission that does not exist, or that users cannot have, is `permission-not-found`. On a
 * resource that does not exist, the caller has no permission.
 */

const ownAccess = { access: 'signedIn', rateLimit: { requests: 120, perSeconds: 60, by: 'caller' } } as const
const accessPath = '/passport/account/access'

/** A resource on which the caller has a permission, with its name in the directory. */
export const OwnResource = z
  .object({ id: z.string(), name: z.nullable(z.string()), ...lookupVerdictShape })
  .check(z.meta({ id: 'OwnResource' }))

export type OwnResource = z.infer<typeof OwnResource>

/** A permission of the caller, with the first resources by id; `next` is the path of their next page. */
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
 * Returns permissions with at least one resource, in the order of the schema. `next` is the path of the next page. A page
 * ends after 20 permissions or one second of evaluation, so it can be empty without being the last.
 */
export const listOwnPermissions = endpoint('GET', `${accessPath}/permissions`, {
  summary: 'List the permissions of the caller in applications',
  description: 'Includes the first resources of each permission.',
  ...ownAccess,
  query: z.object({ after: z.optional(z.string()) }),
  returns: json(z.object({ items: z.array(OwnPermission), next: z.nullable(z.string()) })),
})

const permissionQuery = { type: z.string(), permission: z.string() }

/** Ordered by id, without duplicates. */
export const listOwnResources = endpoint('GET', `${accessPath}/resources`, {
  summary: 'List resources on which the caller has a permission',
  ...ownAccess,
  query: z.extend(CursorQuery, permissionQuery),
  returns: json(cursorPage(OwnResource)),
  fails: [404, 409, 410],
})

const PathObject = z.object({ type: z.string(), id: z.string(), name: z.nullable(z.string()) })

/** A relationship of a path. It has only the name of its caveat, whose stored context may concern other users. */
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
 * Returns chains of the relationships that grant the permission, from the user to the resource; an intersection has one
 * for each operand. Other members of usersets, exclusions and caveat context are not disclosed. The list is empty if no
 * relationship is needed. An engine that returns no trace responds 501.
 */
export const explainOwnPermission = endpoint('GET', `${accessPath}/path`, {
  summary: 'Explain why the caller has a permission',
  description: 'Returns the relationships that grant it on the resource.',
  ...ownAccess,
  query: z.object({ ...permissionQuery, id: z.string() }),
  returns: json(z.object({ ...verdictShape, chains: z.array(z.array(PathStep)) })),
  fails: [404, 409, 501],
})
