// The terms of the permission tools are SpiceDB's. The engine validates names itself, so that each error has its own
// code: `malformed-type`, `malformed-id`, `unknown-permission`.
import type * as core from '@passport/permissions/types'
import * as z from 'zod/mini'
import { Instant, Moment } from './instant.ts'

/** A type and an id. */
export const ObjectReference = z
  .object({ type: z.string(), id: z.string() })
  .check(
    z.meta({ id: 'PermissionObject', description: 'An object of a type, such as document:handbook' }),
  ) satisfies z.ZodMiniType<core.ObjectReference>
export type ObjectReference = core.ObjectReference

/** An object, or with `relation` a userset: `group:staff#member`. */
export const SubjectReference = z
  .object({ type: z.string(), id: z.string(), relation: z.exactOptional(z.string()) })
  .check(z.meta({ id: 'PermissionSubject' })) satisfies z.ZodMiniType<core.SubjectReference>
export type SubjectReference = core.SubjectReference

/** Values of a caveat's parameters. */
export const CaveatContext = z.record(z.string(), z.unknown())

const relationshipParts = {
  resource: ObjectReference,
  relation: z.string(),
  subject: SubjectReference,
  /** The caveat, with the context known when the relationship is written. */
  caveat: z.exactOptional(z.object({ name: z.string(), context: z.exactOptional(CaveatContext) })),
}

/** A stored relationship: `subject` has `relation` to `resource`; it does not apply from `expiresAt` on. */
export const Relationship = z
  .object({ ...relationshipParts, expiresAt: z.exactOptional(Instant) })
  .check(z.meta({ id: 'Relationship' })) satisfies z.ZodMiniType<core.Relationship<string>>
export type Relationship = core.Relationship<string>

/** The identity of a relationship, without caveat and expiration. */
export const RelationshipKey = z
  .object({ resource: ObjectReference, relation: z.string(), subject: SubjectReference })
  .check(z.meta({ id: 'RelationshipKey' }))
export type RelationshipKey = z.infer<typeof RelationshipKey>

/** A relationship to write; `expiresAt` may have any precision and UTC offset. */
export const NewRelationship = z
  .object({ ...relationshipParts, expiresAt: z.exactOptional(Moment) })
  .check(z.meta({ id: 'NewRelationship' }))
export type NewRelationship = z.infer<typeof NewRelationship>

/** `create` fails if the relationship exists; `touch` creates or replaces it; `delete` succeeds if it is missing. */
export const RelationshipUpdate = z
  .object({ operation: z.enum(['create', 'touch', 'delete']), relationship: NewRelationship })
  .check(z.meta({ id: 'RelationshipUpdate' })) satisfies z.ZodMiniType<core.RelationshipUpdate<string>>

/** All given parts must match. A `subjectRelation` of `''` matches objects without a relation. */
export const filterShape = {
  resourceType: z.exactOptional(z.string()),
  resourceId: z.exactOptional(z.string()),
  resourceIdPrefix: z.exactOptional(z.string()),
  relation: z.exactOptional(z.string()),
  subjectType: z.exactOptional(z.string()),
  subjectId: z.exactOptional(z.string()),
  subjectRelation: z.exactOptional(z.string()),
}
export const RelationshipFilter = z
  .object(filterShape)
  .check(z.meta({ id: 'RelationshipFilter' })) satisfies z.ZodMiniType<core.RelationshipFilter>
export type RelationshipFilter = core.RelationshipFilter

/** A condition on existing relationships that a write requires. */
export const Precondition = z
  .object({ operation: z.enum(['mustMatch', 'mustNotMatch']), filter: RelationshipFilter })
  .check(z.meta({ id: 'RelationshipPrecondition' })) satisfies z.ZodMiniType<core.Precondition>

/**
 * The staleness allowed for a response; defaults to `minimizeLatency`. A `token` comes from a response, and is
 * SpiceDB's ZedToken.
 */
export const Consistency = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('minimizeLatency') }),
    z.object({ kind: z.literal('fullyConsistent') }),
    z.object({ kind: z.literal('atLeastAsFresh'), token: z.string() }),
    z.object({ kind: z.literal('atExactSnapshot'), token: z.string() }),
  ])
  .check(z.meta({ id: 'Consistency' })) satisfies z.ZodMiniType<core.Consistency>
export type Consistency = core.Consistency

/** `Consistency` as query parameters. */
export const consistencyInQuery = {
  consistency: z.exactOptional(z.enum(['minimizeLatency', 'fullyConsistent', 'atLeastAsFresh', 'atExactSnapshot'])),
  token: z.exactOptional(z.string()),
}

/**
 * A hypothetical change to evaluate against; nothing is written. `add` and `remove` take at most 1000 relationships
 * each, without duplicates; an added relationship replaces the same one with another caveat or expiration. With the
 * text of another `schema`, stored relationships that do not fit it are ignored, and counted as `leftOut` in the
 * response. Errors point at `whatIf.add[3].subject` and the like. Not allowed with `atExactSnapshot` (`what-if-past`).
 * An engine without `can.suppose` in its status responds 501 `what-if-not-supported`.
 */
export const WhatIf = z
  .object({
    add: z._default(z.array(NewRelationship), []),
    remove: z._default(z.array(NewRelationship), []),
    schema: z.exactOptional(z.string()),
  })
  .check(z.meta({ id: 'PermissionWhatIf' })) satisfies z.ZodMiniType<core.WhatIf<string>>
export type WhatIf = z.infer<typeof WhatIf>
export const whatIfField = z.exactOptional(WhatIf)
/** The number of stored relationships that do not fit the hypothetical schema and are ignored; only with `whatIf`. */
export const leftOutField = z.exactOptional(z.int())

const Permissionship = z.enum([
  'hasPermission',
  'noPermission',
  'conditional',
]) satisfies z.ZodMiniType<core.Permissionship>
/** The result of a check; `partialCaveatMissing` has the names of caveat parameters without a value. */
export const verdictShape = { permissionship: Permissionship, partialCaveatMissing: z.array(z.string()) }
/** The verdict of a lookup result, which is never `noPermission`. */
export const lookupVerdictShape = { ...verdictShape, permissionship: z.enum(['hasPermission', 'conditional']) }

const TraceStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['permission', 'relation']), name: z.string() }),
  z.object({ kind: z.enum(['union', 'intersection', 'exclusion', 'nil', 'self']) }),
  z.object({ kind: z.literal('arrow'), left: z.string(), right: z.string(), of: z.enum(['any', 'all']) }),
  z.object({ kind: z.literal('relationship'), relationship: Relationship }),
])

/** The engine's trace as sent: `missing` becomes `partialCaveatMissing`. */
export interface Trace extends Omit<core.Trace<string>, 'missing' | 'children'> {
  partialCaveatMissing: string[]
  children: Trace[]
}

/** An evaluated caveat: its expression, the known values, and the result. */
const CaveatEvaluation = z.object({
  name: z.string(),
  expression: z.string(),
  context: CaveatContext,
  result: z.enum(['true', 'false', 'missing']),
  missing: z.array(z.string()),
  /** Only with `missing`: the rest of the expression with the known values substituted, as CEL: `current_loa >= 3`. */
  residual: z.exactOptional(z.string()),
})

export const Trace: z.ZodMiniType<Trace> = z
  .object({
    resource: ObjectReference,
    subject: SubjectReference,
    step: TraceStep,
    ...verdictShape,
    caveat: z.exactOptional(CaveatEvaluation),
    /** The relationship is hypothetical: it is one of `whatIf`. */
    isSupposed: z.exactOptional(z.literal(true)),
    /** Closes a cycle, which gives no permission. */
    isCycle: z.exactOptional(z.literal(true)),
    /** Evaluated before on another path, which has the children. */
    isRepeated: z.exactOptional(z.literal(true)),
    /** There are too many children, so they are omitted, but the result depends on them. */
    isCut: z.exactOptional(z.literal(true)),
    /** In microseconds, including all children. */
    duration: z.number(),
    children: z.array(z.lazy(() => Trace)),
  })
  .check(z.meta({ id: 'PermissionTrace' }))

/** The caveat and expiration of a relationship; SpiceDB returns neither in a tree. */
const conditionsShape = {
  caveat: z.exactOptional(z.object({ name: z.string(), context: z.exactOptional(CaveatContext) })),
  expiresAt: z.exactOptional(Instant),
}
/** A subject of a relation. */
const ExpandedSubject = z.object({ subject: SubjectReference, ...conditionsShape })

/**
 * SpiceDB's ExpandPermissionTree: the structure of a permission. Permissions are followed on the resource and across
 * arrows. A userset such as `group:staff#member` is a leaf; expand it with a separate request. `caveat` and
 * `expiresAt` of a node are those of the arrow's relationship that led to it.
 */
export type PermissionTree = core.PermissionTree<string>

const TreeNode = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['union', 'intersection', 'exclusion']),
    /** An exclusion has two: the base and the subtracted part. */
    children: z.array(z.lazy((): z.ZodMiniType<PermissionTree> => PermissionTree)),
  }),
  z.object({ kind: z.literal('leaf'), subjects: z.array(ExpandedSubject) }),
])

export const PermissionTree: z.ZodMiniType<PermissionTree> = z
  .object({ resource: ObjectReference, permission: z.string(), ...conditionsShape, node: TreeNode })
  .check(z.meta({ id: 'PermissionTree' }))

/** The error of one item of a batch. */
export const ItemError = z.object({ code: z.string(), message: z.string(), field: z.exactOptional(z.string()) })

/** Access to the permission tools: administrators, and client applications with the scope. */
export const readAccess = { access: 'admin', scope: 'permissions.read' } as const
export const writeAccess = { access: 'admin', scope: 'permissions.write' } as const
export const toolsPath = '/passport/admin/tools/permissions'

/** The body limit of calls that take many checks or changes. */
export const maxBatchBytes = 4 * 1024 * 1024

/** A page size of at most `max`; a larger one is an error. */
export const pageLimit = (max: number, defaultSize: number) =>
  z._default(z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(max)), defaultSize)

/** `cursor` is that of the previous page, and is valid only for the same request. */
export const pagingShape = { limit: pageLimit(1000, 100), cursor: z.exactOptional(z.string()) }
/** Null on the last page. */
export const nextCursor = z.nullable(z.string())
export const consistencyField = z.exactOptional(Consistency)
export const contextField = z.exactOptional(CaveatContext)

/** A check whether a subject has a permission on a resource. `permission` may also name a relation. */
export const checkShape = {
  resource: ObjectReference,
  permission: z.string(),
  subject: SubjectReference,
  context: contextField,
}
export const CheckRequest = z
  .object(checkShape)
  .check(z.meta({ id: 'PermissionQuestion' })) satisfies z.ZodMiniType<core.CheckRequest>
export type CheckRequest = core.CheckRequest
