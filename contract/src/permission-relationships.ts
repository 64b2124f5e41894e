import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import {
  consistencyInQuery,
  filter,
  manyBytes,
  nextCursor,
  ObjectReference,
  Precondition,
  paging,
  Relationship,
  RelationshipFilter,
  RelationshipKey,
  RelationshipUpdate,
  reads,
  tools,
  writes,
} from './permission-terms.ts'

/** Ordered by resource, relation and subject. A page may hold fewer than `limit`, also none, and not be the last. */
export const listRelationships = endpoint('GET', '/passport/admin/tools/relations', {
  summary: 'List the relationships that fit a filter',
  ...reads,
  query: z.object({
    ...filter,
    /** Those alone that run out before this moment. A SpiceDB looks for them among 20,000 at a time: a page may have none, and a cursor. */
    expiresBefore: z.exactOptional(Moment),
    ...paging,
    ...consistencyInQuery,
  }),
  returns: json(z.object({ items: z.array(Relationship), cursor: nextCursor, readAt: z.string() })),
  fails: [410, 503],
})

const preconditions = z.exactOptional(z.array(Precondition))

export const writeRelationships = endpoint('POST', `${tools}/relationships`, {
  summary: 'Create, touch and delete at most 1000 relationships, all or none of them',
  ...writes,
  // What a thousand may hold at most, with their contexts: whatever was deleted can be put back in one call.
  body: json(z.strictObject({ updates: z.array(RelationshipUpdate), preconditions }), { maxBytes: 32 * 1024 * 1024 }),
  returns: json(z.object({ writtenAt: z.string() })),
  fails: [409, 503],
})
/** Deletes all that fit unless there is a `limit`; `isComplete` tells that none is left. */
export const deleteRelationships = endpoint('POST', `${tools}/relationships/delete`, {
  summary: 'Delete the relationships that fit a filter',
  ...writes,
  body: json(
    z.strictObject({ filter: RelationshipFilter, limit: z.exactOptional(z.int().check(z.minimum(1))), preconditions }),
  ),
  returns: json(z.object({ deletedAt: z.string(), deleted: z.int(), isComplete: z.boolean() })),
  fails: [409, 503],
})
const listed = z.array(RelationshipKey).check(z.minLength(1), z.maxLength(1000))
/**
 * All of the list or none; what is not there any more is in no one's way. `deleted` is what was there, with all that was
 * attached to it: to write these as `create` puts back exactly that, and overwrites nothing that came since.
 */
export const deleteListedRelationships = endpoint('POST', `${tools}/relationships/deletelisted`, {
  summary: 'Delete at most 1000 relationships by name, and tell what they were',
  ...writes,
  body: json(z.strictObject({ relationships: listed, preconditions }), { maxBytes: manyBytes }),
  returns: json(z.object({ deletedAt: z.string(), deleted: z.array(Relationship) })),
  fails: [409, 503],
})

/** Whoever would lose a permission on one resource; `count` goes up to 1000, `sample` has the first few. */
export const Loss = z.object({
  resource: ObjectReference,
  permission: z.string(),
  subjectType: z.string(),
  count: z.int(),
  sample: z.array(z.string()),
})
export type Loss = z.infer<typeof Loss>
/** The same for all resources of a type together, each subject counted once: “7 subjects lose view on 3 documents”. */
export const LossInTotal = z.object({
  resourceType: z.string(),
  permission: z.string(),
  subjectType: z.string(),
  subjects: z.int(),
  resources: z.int(),
})
export type LossInTotal = z.infer<typeof LossInTotal>
const hasOne = z.refine<{ filter?: unknown; relationships?: unknown }>(
  ({ filter, relationships }) => (filter === undefined) !== (relationships === undefined),
  { error: 'Name either a filter or the relationships.' },
)
/**
 * Of a filter or of a list. `relationships` are those that are there, as they are: of a filter the first hundred.
 * `isComplete` is false where so much would change that not all of it was worked out. Nothing is deleted.
 */
export const previewDeletion = endpoint('POST', `${tools}/relationships/deletepreview`, {
  summary: 'Tell who would lose what if relationships were deleted',
  ...reads,
  body: json(
    z
      .strictObject({ filter: z.exactOptional(RelationshipFilter), relationships: z.exactOptional(listed) })
      .check(hasOne),
    { maxBytes: manyBytes },
  ),
  returns: json(
    z.object({
      relationships: z.array(Relationship),
      losses: z.array(Loss),
      /** Those who would gain, because what is deleted kept them out. */
      gains: z.array(Loss),
      lossesInTotal: z.array(LossInTotal),
      gainsInTotal: z.array(LossInTotal),
      isComplete: z.boolean(),
    }),
  ),
  fails: [409, 501, 503],
})

/** When a relationship was added and removed, newest first; `by` is null where the service itself did it, or nobody knows. */
export const listRelationshipHistory = endpoint('GET', `${tools}/history`, {
  summary: 'List who added and removed the relationships that fit a filter, and when',
  ...reads,
  query: z.object({ ...filter, ...paging }),
  returns: json(
    z.object({
      items: z.array(
        z.object({
          operation: z.enum(['added', 'changed', 'removed']),
          relationship: Relationship,
          at: Instant,
          by: z.nullable(z.object({ kind: z.enum(['user', 'client']), id: z.string(), name: z.nullable(z.string()) })),
          token: z.string(),
        }),
      ),
      cursor: nextCursor,
    }),
  ),
  fails: [501],
})

/** Where a stream begins, else with what comes from now on; and which relationships it tells of, else of all. */
export const watchQuery = z.object({
  /** The token after which to begin. */
  from: z.exactOptional(z.string()),
  ...filter,
  /** More than once for more than one. */
  resourceType: z.exactOptional(z.array(z.string())),
})
/**
 * One commit in the event stream of `watchPath`, whose ids are tokens. An event named `checkpoint` has a token alone:
 * nothing of what is watched was changed up to there. One named `problem` is the last, with a `code`.
 */
export const WatchEvent = z.object({
  token: z.string(),
  updates: z.array(z.object({ operation: z.enum(['touch', 'delete']), relationship: Relationship })),
  /** The schema was changed in it. */
  isSchemaChange: z.boolean(),
})
export type WatchEvent = z.infer<typeof WatchEvent>
/** A stream of server-sent events (HTML, section 9.2), open to whoever may read. */
export const watchPath = `${tools}/watch` as const
