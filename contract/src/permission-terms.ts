import type * as core from '@passport/permissions/types'
import * as z from 'zod/mini'
import { Instant, Moment } from './instant.ts'

/**
 * The terms of the permission tools, which are SpiceDB's. The engine validates names itself, so that each error has its
 * own code: `malformed-type`, `malformed-id`, `unknown-permission`.
 */
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
  /** Its caveat, with the part of the context that is known already. */
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

/**
 * A relationship as a caller writes it, with any precision and offset. Unknown members are rejected here and in
 * filters: a misspelt caveat, expiration or condition would grant, or delete, more than intended.
 */
export const NewRelationship = z
  .strictObject({
    ...relationshipParts,
    caveat: z.exactOptional(z.strictObject({ name: z.string(), context: z.exactOptional(CaveatContext) })),
    expiresAt: z.exactOptional(Moment),
  })
  .check(z.meta({ id: 'NewRelationship' }))
export type NewRelationship = z.infer<typeof NewRelationship>

/** `create` fails if it exists, `touch` does not, `delete` succeeds if it is missing. */
export const RelationshipUpdate = z
  .strictObject({ operation: z.enum(['create', 'touch', 'delete']), relationship: NewRelationship })
  .check(z.meta({ id: 'RelationshipUpdate' })) satisfies z.ZodMiniType<core.RelationshipUpdate<string>>

/** All given parts must match. A `subjectRelation` of `''` matches objects without a relation. */
export const filter = {
  resourceType: z.exactOptional(z.string()),
  resourceId: z.exactOptional(z.string()),
  resourceIdPrefix: z.exactOptional(z.string()),
  relation: z.exactOptional(z.string()),
  subjectType: z.exactOptional(z.string()),
  subjectId: z.exactOptional(z.string()),
  subjectRelation: z.exactOptional(z.string()),
}
export const RelationshipFilter = z
  .strictObject(filter)
  .check(z.meta({ id: 'RelationshipFilter' })) satisfies z.ZodMiniType<core.RelationshipFilter>
export type RelationshipFilter = core.RelationshipFilter

/** A condition on existing relationships that a write requires. */
export const Precondition = z
  .strictObject({ operation: z.enum(['mustMatch', 'mustNotMatch']), filter: RelationshipFilter })
  .check(z.meta({ id: 'RelationshipPrecondition' })) satisfies z.ZodMiniType<core.Precondition>

/**
 * The staleness allowed for an answer; defaults to `minimizeLatency`. A `token` comes from a response, and is SpiceDB's
 * ZedToken.
 */
export const Consistency = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('minimizeLatency') }),
    z.strictObject({ kind: z.literal('fullyConsistent') }),
    z.strictObject({ kind: z.literal('atLeastAsFresh'), token: z.string() }),
    z.strictObject({ kind: z.literal('atExactSnapshot'), token: z.string() }),
  ])
  .check(z.meta({ id: 'Consistency' })) satisfies z.ZodMiniType<core.Consistency>
export type Consistency = core.Consistency

/** The same as query parameters. */
export const consistencyInQuery = {
  consistency: z.exactOptional(z.enum(['minimizeLatency', 'fullyConsistent', 'atLeastAsFresh', 'atExactSnapshot'])),
  token: z.exactOptional(z.string()),
}

/**
 * Evaluates a hypothetical change, and writes nothing. `add` and `remove` take at most 1000 relationships each, without
 * duplicates; an added relationship replaces the same one with another caveat or expiration. With the text of another
 * `schema`, stored relationships that do not fit it are ignored, and counted as `leftOut` in the response. Errors point
 * at `whatIf.add[3].subject` and the like. Not allowed with `atExactSnapshot` (`what-if-past`). An engine without
 * `can.suppose` in its status responds 501 `what-if-not-supported`.
 */
export const WhatIf = z
  .strictObject({
    add: z._default(z.array(NewRelationship), []),
    remove: z._default(z.array(NewRelationship), []),
    schema: z.exactOptional(z.string()),
  })
  .check(z.meta({ id: 'PermissionWhatIf' })) satisfies z.ZodMiniType<core.WhatIf<string>>
export type WhatIf = z.infer<typeof WhatIf>
export const whatIf = z.exactOptional(WhatIf)
/** How many stored relationships did not fit the hypothetical schema; only with `whatIf`. */
export const leftOut = z.exactOptional(z.int())

const Permissionship = z.enum([
  'hasPermission',
  'noPermission',
  'conditional',
]) satisfies z.ZodMiniType<core.Permissionship>
/** An answer; `partialCaveatMissing` names the parameters that a conditional answer needs. */
export const verdict = { permissionship: Permissionship, partialCaveatMissing: z.array(z.string()) }
/** The verdict of a lookup result, which is never `noPermission`. */
export const lookupVerdict = { ...verdict, permissionship: z.enum(['hasPermission', 'conditional']) }

const TraceStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['permission', 'relation']), name: z.string() }),
  z.object({ kind: z.enum(['union', 'intersection', 'exclusion', 'nil', 'self']) }),
  z.object({ kind: z.literal('arrow'), left: z.string(), right: z.string(), of: z.enum(['any', 'all']) }),
  z.object({ kind: z.literal('relationship'), relationship: Relationship }),
])

/** The engine's trace; the missing names have the name that SpiceDB gives them. */
export interface Trace extends Omit<core.Trace<string>, 'missing' | 'children'> {
  partialCaveatMissing: string[]
  children: Trace[]
}

/** A caveat that decided: its expression, the known values, and the result. */
const DecidingCaveat = z.object({
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
    ...verdict,
    caveat: z.exactOptional(DecidingCaveat),
    isSupposed: z.exactOptional(z.literal(true)),
    isCycle: z.exactOptional(z.literal(true)),
    isRepeated: z.exactOptional(z.literal(true)),
    isCut: z.exactOptional(z.literal(true)),
    duration: z.number(),
    children: z.array(z.lazy(() => Trace)),
  })
  .check(z.meta({ id: 'PermissionTrace' }))

/** A subject of a relation, with its conditions; SpiceDB reports neither caveat nor expiration. */
const conditions = {
  caveat: z.exactOptional(z.object({ name: z.string(), context: z.exactOptional(CaveatContext) })),
  expiresAt: z.exactOptional(Instant),
}
const ExpandedSubject = z.object({ subject: SubjectReference, ...conditions })

/**
 * SpiceDB's ExpandPermissionTree: the structure of a permission. Permissions are followed on the resource and across
 * arrows. A userset such as `group:staff#member` is a leaf; expand it with a request of its own. `caveat` and
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
  .object({ resource: ObjectReference, permission: z.string(), ...conditions, node: TreeNode })
  .check(z.meta({ id: 'PermissionTree' }))

/** The error of one item of a batch. */
export const ItemFault = z.object({ code: z.string(), message: z.string(), field: z.exactOptional(z.string()) })

/** The access to the tools: administrators in the console, and applications with a client of their own. */
export const reads = { access: 'admin', scope: 'permissions.read' } as const
export const writes = { access: 'admin', scope: 'permissions.write' } as const
export const toolsPath = '/passport/admin/tools/permissions'

/** The body limit of calls that take many questions or changes. */
export const maxBatchBytes = 4 * 1024 * 1024

/** A page size; larger values are capped at `max`. */
export const pageLimit = (max: number, defaultSize: number) =>
  z._default(
    z.coerce.number<number>().check(
      z.int(),
      z.minimum(1),
      z.overwrite((size) => Math.min(size, max)),
    ),
    defaultSize,
  )

/** `cursor` is that of the previous page, and is valid only for the same question. */
export const paging = { limit: pageLimit(1000, 100), cursor: z.exactOptional(z.string()) }
/** Null after the last page. */
export const nextCursor = z.nullable(z.string())
export const consistency = z.exactOptional(Consistency)
export const context = z.exactOptional(CaveatContext)

/** May the subject do this to the resource? `permission` may also name a relation. */
export const question = { resource: ObjectReference, permission: z.string(), subject: SubjectReference, context }
export const Question = z
  .strictObject(question)
  .check(z.meta({ id: 'PermissionQuestion' })) satisfies z.ZodMiniType<core.CheckQuestion>
export type Question = core.CheckQuestion
