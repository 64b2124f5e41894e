import type * as core from '@passport/permissions/types'
import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import {
  CheckRequest,
  checkShape,
  consistencyField,
  contextField,
  ItemError,
  leftOutField,
  lookupVerdictShape,
  maxBatchBytes,
  nextCursor,
  ObjectReference,
  PermissionTree,
  pageLimit,
  pagingShape,
  Relationship,
  readAccess,
  SubjectReference,
  Trace,
  toolsPath,
  verdictShape,
  whatIfField,
} from './permission-terms.ts'
import { action } from './request-body.ts'

/** The reason for a result, in one word. */
export const Reason = z
  .enum([
    'relationship',
    'wildcard',
    'condition-holds',
    'itself',
    'excluded',
    'condition-fails',
    'expired',
    'circle',
    'not-all',
    'no-relationship',
    'context-missing',
  ])
  .check(z.meta({ id: 'PermissionReason' })) satisfies z.ZodMiniType<core.Reason>
export type Reason = core.Reason

/** The result at the revision `checkedAt`, with its trace on request. */
export const CheckResult = z
  .object({
    ...verdictShape,
    /**
     * The remaining condition of a conditional result, as a CEL expression over the missing names, such as
     * `current_loa >= 3 && !banned_today`. Omitted if the engine cannot compute it, or if it is too long.
     */
    residual: z.exactOptional(z.string()),
    /** Sent with the trace. Omitted if the trace is truncated, and for an external SpiceDB. */
    reason: z.exactOptional(Reason),
    leftOut: leftOutField,
    checkedAt: z.string(),
    debugTrace: z.exactOptional(Trace),
  })
  .check(z.meta({ id: 'CheckAnswer' }))
export type CheckResult = z.infer<typeof CheckResult>

export const checkPermission = endpoint('POST', `${toolsPath}/check`, {
  summary: 'Check a permission and explain the result',
  ...readAccess,
  body: action(
    z.object({
      ...checkShape,
      consistency: consistencyField,
      withTrace: z.exactOptional(z.boolean()),
      whatIf: whatIfField,
    }),
    {
      maxBytes: maxBatchBytes,
    },
  ),
  returns: json(CheckResult),
  fails: [409, 410, 501],
})

/** Returns results in the order of the checks; an error affects only its own check. */
export const checkPermissionsInBulk = endpoint('POST', `${toolsPath}/checkbulk`, {
  summary: 'Check up to 1000 permissions at one revision',
  ...readAccess,
  body: action(z.object({ items: z.array(CheckRequest), consistency: consistencyField, whatIf: whatIfField }), {
    maxBytes: maxBatchBytes,
  }),
  returns: json(
    z.object({
      items: z.array(z.union([z.object(verdictShape), z.object({ error: ItemError })])),
      checkedAt: z.string(),
      leftOut: leftOutField,
    }),
  ),
  fails: [409, 410, 501],
})

const lookupResult = {
  cursor: nextCursor,
  lookedUpAt: z.string(),
  /** A cycle was found during evaluation. */
  hasCycle: z.boolean(),
  /**
   * The number of permissions and relations of objects that were evaluated for this page; omitted if the engine does
   * not report it.
   */
  visited: z.exactOptional(z.int()),
  leftOut: leftOutField,
}

export const FoundResource = z.object({ id: z.string(), ...lookupVerdictShape })
/** Ordered by id, without duplicates. */
export const lookUpResources = endpoint('POST', `${toolsPath}/lookupresources`, {
  summary: 'List resources on which a subject has a permission',
  ...readAccess,
  body: action(
    z.object({
      resourceType: z.string(),
      permission: z.string(),
      subject: SubjectReference,
      context: contextField,
      ...pagingShape,
      consistency: consistencyField,
      whatIf: whatIfField,
    }),
    { maxBytes: maxBatchBytes },
  ),
  returns: json(z.object({ items: z.array(FoundResource), ...lookupResult })),
  fails: [409, 410, 501],
})

/** `*` is everyone except `excluded`, which only `*` has. */
export const FoundSubject = z.object({
  id: z.string(),
  relation: z.exactOptional(z.string()),
  ...lookupVerdictShape,
  excluded: z.array(z.object({ id: z.string(), ...lookupVerdictShape })),
})
/** Ordered by id, `*` first; subjects found besides the wildcard are included. */
export const lookUpSubjects = endpoint('POST', `${toolsPath}/lookupsubjects`, {
  summary: 'List subjects that have a permission on a resource',
  ...readAccess,
  body: action(
    z.object({
      resource: ObjectReference,
      permission: z.string(),
      subjectType: z.string(),
      subjectRelation: z.exactOptional(z.string()),
      context: contextField,
      /** Whether `*` is included. */
      wildcards: z._default(z.enum(['include', 'exclude']), 'include'),
      ...pagingShape,
      consistency: consistencyField,
      whatIf: whatIfField,
    }),
    { maxBytes: maxBatchBytes },
  ),
  returns: json(z.object({ items: z.array(FoundSubject), ...lookupResult })),
  fails: [409, 410, 501],
})

/** A tree of more than 20,000 subjects and nodes is rejected as `graph-too-large`. */
export const expandPermission = endpoint('POST', `${toolsPath}/expand`, {
  summary: 'Expand a permission into operators and subjects',
  ...readAccess,
  body: action(
    z.object({
      resource: ObjectReference,
      permission: z.string(),
      consistency: consistencyField,
      whatIf: whatIfField,
    }),
    {
      maxBytes: maxBatchBytes,
    },
  ),
  returns: json(z.object({ tree: PermissionTree, expandedAt: z.string(), leftOut: leftOutField })),
  fails: [409, 410, 501],
})

/** Returns every permission and relation of the resource's type. */
export const listPermissionsOfSubject = endpoint('POST', `${toolsPath}/grid`, {
  summary: 'Check every permission of a subject on a resource',
  ...readAccess,
  body: action(
    z.object({
      resource: ObjectReference,
      subject: SubjectReference,
      context: contextField,
      consistency: consistencyField,
      whatIf: whatIfField,
    }),
    {
      maxBytes: maxBatchBytes,
    },
  ),
  returns: json(
    z.object({
      items: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(['permission', 'relation']),
          ...verdictShape,
          /** Set if the check failed; `permissionship` is then `noPermission`. */
          error: z.exactOptional(ItemError),
        }),
      ),
      checkedAt: z.string(),
      leftOut: leftOutField,
    }),
  ),
  fails: [409, 410, 501],
})

/** A relationship to add or remove, and the resulting verdict. */
export const Miss = z.object({ change: z.enum(['add', 'remove']), relationship: Relationship, ...verdictShape })
export type Miss = z.infer<typeof Miss>
/**
 * Returns only suggestions that were checked, on top of `whatIf`; those nearest to the resource come first. The list is
 * empty if no single relationship suffices.
 */
export const findClosestMiss = endpoint('POST', `${toolsPath}/closestmiss`, {
  summary: 'Find single relationships that would flip a result',
  ...readAccess,
  body: action(z.object({ ...checkShape, whatIf: whatIfField }), { maxBytes: maxBatchBytes }),
  returns: json(z.object({ ...verdictShape, items: z.array(Miss), checkedAt: z.string() })),
  fails: [409, 501],
})

/** Returns the ids of resources and subjects with the prefix, sorted, with their names in the directory. */
export const completeObjectIds = endpoint('GET', `${toolsPath}/objects`, {
  summary: 'List object ids of a type by prefix',
  ...readAccess,
  query: z.object({ type: z.string(), prefix: z._default(z.string(), ''), limit: pageLimit(100, 20) }),
  returns: json(z.object({ items: z.array(z.object({ id: z.string(), name: z.nullable(z.string()) })) })),
  fails: [501],
})

/** Omits objects that are not in the directory. */
export const nameObjects = endpoint('POST', `${toolsPath}/names`, {
  summary: 'Get the display names of directory objects',
  ...readAccess,
  body: action(z.object({ objects: z.array(ObjectReference).check(z.maxLength(1000)) }), {
    maxBytes: maxBatchBytes,
  }),
  returns: json(
    z.object({
      items: z.array(
        z.object({
          type: z.string(),
          id: z.string(),
          name: z.string(),
          /** Of a user with one: it distinguishes users of the same name. */
          username: z.optional(z.string()),
        }),
      ),
    }),
  ),
})

/** The engine and its progress. Values an engine cannot report are null; operations it lacks are false under `can`. */
export const PermissionStatus = z
  .object({
    engine: z.object({ kind: z.enum(['embedded', 'spicedb']), version: z.string() }),
    /** The revision of the newest known commit, as a token. */
    revision: z.string(),
    /** The lag of this process behind that revision. */
    lag: z.nullable(z.object({ commits: z.int(), milliseconds: z.number() })),
    counts: z.nullable(
      z.array(
        z.object({
          type: z.string(),
          /** Relationships whose resource is of the type. */
          relationships: z.int(),
        }),
      ),
    ),
    can: z.object({ suppose: z.boolean(), history: z.boolean(), completion: z.boolean(), importAtOnce: z.boolean() }),
  })
  .check(z.meta({ id: 'PermissionStatus' }))
export type PermissionStatus = z.infer<typeof PermissionStatus>

export const getPermissionStatus = endpoint('GET', `${toolsPath}/status`, {
  summary: 'Get the permission engine and its revision',
  ...readAccess,
  returns: json(PermissionStatus),
})
