import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { CursorQuery, cursorPage } from './page.ts'
import { FaultInPlace, found, verdict } from './permission-terms.ts'

/**
 * What whoever is signed in is told of their own permissions, as people of the directory (`passport/user`). Only of
 * permissions: whether somebody stands in a relation, such as that of the banned, is not theirs to ask. What is neither
 * known nor for people is `permission-not-found`, both alike, and a resource that is not there is one without permission.
 */
const own = { access: 'signedIn', rateLimit: { requests: 120, perSeconds: 60, by: 'caller' } } as const
const account = '/passport/account/access'

/** A resource that somebody has a permission on; `name` is that of the directory where it knows one. */
export const OwnResource = z
  .object({ id: z.string(), name: z.nullable(z.string()), ...found })
  .check(z.meta({ id: 'OwnResource' }))

export type OwnResource = z.infer<typeof OwnResource>

/** A permission that somebody has, with the first of the resources by id; `next` is the path of those that follow. */
export const OwnPermission = z
  .object({
    type: z.string(),
    permission: z.string(),
    items: z.array(OwnResource),
    next: z.nullable(z.string()),
    /** Where it cannot be worked out; then there are no items. */
    error: z.exactOptional(FaultInPlace),
  })
  .check(z.meta({ id: 'OwnPermission' }))
export type OwnPermission = z.infer<typeof OwnPermission>

/**
 * Only what they have anything of, in the order of the schema. `next` is the path of the permissions that follow: a page
 * ends after 20, or after as many as could be looked at in a second, so that it may have none and yet not be the last.
 */
export const listOwnPermissions = endpoint('GET', `${account}/permissions`, {
  summary: 'List what applications let whoever asks do, with the first resources of each permission',
  ...own,
  query: z.object({ after: z.optional(z.string()) }),
  returns: json(z.object({ items: z.array(OwnPermission), next: z.nullable(z.string()) })),
  fails: [503],
})

const asked = { type: z.string(), permission: z.string() }

/** Ordered by id, none twice. */
export const listOwnResources = endpoint('GET', `${account}/resources`, {
  summary: 'List the resources of a type on which whoever asks has a permission',
  ...own,
  query: z.extend(CursorQuery, asked),
  returns: json(cursorPage(OwnResource)),
  fails: [404, 409, 410, 503],
})

const PathObject = z.object({ type: z.string(), id: z.string(), name: z.nullable(z.string()) })

/** One relationship of a path. Of its caveat the name alone is told: the values that were stored with it may be of others. */
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
 * The relationships by which they have it, from the person on to the resource; where several had to hold, one chain each,
 * and none where no relationship is needed. Nothing but what grants is told: neither who else is in a set on the way or
 * left out of the permission, nor the values of caveats. 501 where the engine cannot tell a path.
 */
export const explainOwnPermission = endpoint('GET', `${account}/path`, {
  summary: 'Tell by which relationships whoever asks has a permission on a resource',
  ...own,
  query: z.object({ ...asked, id: z.string() }),
  returns: json(z.object({ ...verdict, chains: z.array(z.array(PathStep)) })),
  fails: [404, 409, 501, 503],
})
