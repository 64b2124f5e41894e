import type * as core from '@passport/permissions/types'
import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import {
  consistencyInQuery,
  filterShape,
  maxBatchBytes,
  nextCursor,
  ObjectReference,
  Precondition,
  pagingShape,
  Relationship,
  RelationshipFilter,
  RelationshipKey,
  RelationshipUpdate,
  readAccess,
  toolsPath,
  writeAccess,
} from './permission-terms.ts'
import { action } from './request-body.ts'

/** Sorted by resource, relation and subject. A page can be shorter than `limit`, or empty, without being the last. */
export const listRelationships = endpoint('GET', '/passport/admin/tools/relations', {
  summary: 'List relationships by filter',
  ...readAccess,
  query: z.object({
    ...filterShape,
    /**
     * Returns only relationships that expire before this time. SpiceDB reads 20,000 for a page, which may be empty and
     * have a cursor.
     */
    expiresBefore: z.exactOptional(Moment),
    ...pagingShape,
    ...consistencyInQuery,
  }),
  returns: json(z.object({ items: z.array(Relationship), cursor: nextCursor, readAt: z.string() })),
  fails: [410],
})

const preconditions = z.exactOptional(z.array(Precondition))

export const writeRelationships = endpoint('POST', `${toolsPath}/relationships`, {
  summary: 'Create, touch and delete relationships',
  description: 'Applies at most 1000 changes, all or none.',
  ...writeAccess,
  // Fits a thousand relationships with their contexts, so that every deletion can be undone in one call.
  body: action(z.object({ updates: z.array(RelationshipUpdate), preconditions }), { maxBytes: 32 * 1024 * 1024 }),
  returns: json(z.object({ writtenAt: z.string() })),
  fails: [409],
})
/** Deletes all matches, or at most `limit`; `isComplete` reports whether none is left. */
export const deleteRelationships = endpoint('POST', `${toolsPath}/relationships/delete`, {
  summary: 'Delete relationships by filter',
  ...writeAccess,
  body: action(
    z.object({ filter: RelationshipFilter, limit: z.exactOptional(z.int().check(z.minimum(1))), preconditions }),
  ),
  returns: json(z.object({ deletedAt: z.string(), deleted: z.int(), isComplete: z.boolean() })),
  fails: [409],
})
const relationshipList = z.array(RelationshipKey).check(z.minLength(1), z.maxLength(1000))
/**
 * Deletes all or nothing, and ignores missing relationships. `deleted` has the removed ones with their caveats and
 * expirations: to write them with `create` restores them, and overwrites nothing newer.
 */
export const deleteListedRelationships = endpoint('POST', `${toolsPath}/relationships/deletelisted`, {
  summary: 'Delete listed relationships',
  description: 'Deletes at most 1000 and returns those that existed.',
  ...writeAccess,
  body: action(z.object({ relationships: relationshipList, preconditions }), { maxBytes: maxBatchBytes }),
  returns: json(z.object({ deletedAt: z.string(), deleted: z.array(Relationship) })),
  fails: [409],
})

/** The subjects that would lose a permission on a resource; `count` is at most 1000, `sample` has the first ones. */
export const Loss = z.object({
  resource: ObjectReference,
  permission: z.string(),
  subjectType: z.string(),
  count: z.int(),
  sample: z.array(z.string()),
})
export type Loss = z.infer<typeof Loss>
/** The losses on all resources of a type, each subject counted once: “7 subjects lose view on 3 documents”. */
export const LossInTotal = z.object({
  resourceType: z.string(),
  permission: z.string(),
  subjectType: z.string(),
  subjects: z.int(),
  resources: z.int(),
})
export type LossInTotal = z.infer<typeof LossInTotal>
const hasEither = z.refine<{ filter?: unknown; relationships?: unknown }>(
  ({ filter, relationships }) => (filter === undefined) !== (relationships === undefined),
  { error: 'Send either a filter or relationships, not both.' },
)
/**
 * Deletes nothing. `relationships` are those of the list that exist, or the first hundred that match the filter.
 * `isComplete` is false if the effect was too large to compute in full.
 */
export const previewDeletion = endpoint('POST', `${toolsPath}/relationships/deletepreview`, {
  summary: 'Preview the effect of deleting relationships',
  ...readAccess,
  body: action(
    z
      .object({ filter: z.exactOptional(RelationshipFilter), relationships: z.exactOptional(relationshipList) })
      .check(hasEither),
    { maxBytes: maxBatchBytes },
  ),
  returns: json(
    z.object({
      relationships: z.array(Relationship),
      losses: z.array(Loss),
      /** Subjects that would gain a permission, because a deleted relationship excluded them. */
      gains: z.array(Loss),
      lossesInTotal: z.array(LossInTotal),
      gainsInTotal: z.array(LossInTotal),
      isComplete: z.boolean(),
    }),
  ),
  fails: [409, 501],
})

/** Returns changes of relationships, newest first; `by` is null for the service itself or an unknown author. */
export const listRelationshipHistory = endpoint('GET', `${toolsPath}/history`, {
  summary: 'List the history of relationships by filter',
  description: 'Each entry has the actor, the time and the change.',
  ...readAccess,
  query: z.object({ ...filterShape, ...pagingShape }),
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

/** The start of the stream, by default the current revision, and the relationships to watch, by default all. */
export const watchQuery = z.object({
  /** The token after which the stream starts. */
  from: z.exactOptional(z.string()),
  ...filterShape,
  /** Repeatable. */
  resourceType: z.exactOptional(z.array(z.string())),
})
/**
 * A commit in the stream of `watchPath`, whose event ids are tokens. An event named `checkpoint` has only a token, up to
 * which no watched relationship has changed. An event named `problem` has a `code` and is the last.
 */
export const WatchEvent = z.object({
  token: z.string(),
  updates: z.array(z.object({ operation: z.enum(['touch', 'delete']), relationship: Relationship })),
  /** The commit changed the schema. */
  isSchemaChange: z.boolean(),
}) satisfies z.ZodMiniType<core.WatchEvent<string>>
export type WatchEvent = z.infer<typeof WatchEvent>
/** A stream of server-sent events (HTML, section 9.2), with `readAccess`. */
export const watchPath = `${toolsPath}/watch` as const
