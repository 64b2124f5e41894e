import * as z from 'zod/mini'
import { Instant, Moment } from './instant.ts'

/**
 * The words of the permission tools, which are SpiceDB's. What a name may be made of is for the engine to say, so that
 * each fault has its own code: `malformed-type`, `malformed-id`, `unknown-permission`.
 */
export const ObjectReference = z
  .object({ type: z.string(), id: z.string() })
  .check(z.meta({ id: 'PermissionObject', description: 'One thing of a type, such as document:handbook' }))
export type ObjectReference = z.infer<typeof ObjectReference>

/** An object, or with `relation` whoever has that of it: `group:staff#member`. */
export const SubjectReference = z
  .object({ type: z.string(), id: z.string(), relation: z.exactOptional(z.string()) })
  .check(z.meta({ id: 'PermissionSubject' }))
export type SubjectReference = z.infer<typeof SubjectReference>

/** Values of a caveat's parameters. */
export const CaveatContext = z.record(z.string(), z.unknown())

const relationshipParts = {
  resource: ObjectReference,
  relation: z.string(),
  subject: SubjectReference,
  /** Under which condition it counts, and what is known of its parameters already. */
  caveat: z.exactOptional(z.object({ name: z.string(), context: z.exactOptional(CaveatContext) })),
}

/** A stored fact: `subject` stands in `relation` of `resource`; from `expiresAt` on it is as if it were not there. */
export const Relationship = z
  .object({ ...relationshipParts, expiresAt: z.exactOptional(Instant) })
  .check(z.meta({ id: 'Relationship' }))
export type Relationship = z.infer<typeof Relationship>

/** What a relationship is told apart by, whatever is attached to it. */
export const RelationshipKey = z
  .object({ resource: ObjectReference, relation: z.string(), subject: SubjectReference })
  .check(z.meta({ id: 'RelationshipKey' }))
export type RelationshipKey = z.infer<typeof RelationshipKey>

/**
 * One as a caller writes it: any precision and offset will do. Members that nobody knows are refused here and in filters:
 * a caveat, an expiration or a condition that is misspelt would let in more, or delete more, than was meant.
 */
export const NewRelationship = z
  .strictObject({
    ...relationshipParts,
    caveat: z.exactOptional(z.strictObject({ name: z.string(), context: z.exactOptional(CaveatContext) })),
    expiresAt: z.exactOptional(Moment),
  })
  .check(z.meta({ id: 'NewRelationship' }))
export type NewRelationship = z.infer<typeof NewRelationship>

/** `create` fails where it is there, `touch` does not, `delete` is content where it is not there. */
export const RelationshipUpdate = z
  .strictObject({ operation: z.enum(['create', 'touch', 'delete']), relationship: NewRelationship })
  .check(z.meta({ id: 'RelationshipUpdate' }))

/** Every part that is given must fit. A `subjectRelation` of `''` is the object itself. */
export const filter = {
  resourceType: z.exactOptional(z.string()),
  resourceId: z.exactOptional(z.string()),
  resourceIdPrefix: z.exactOptional(z.string()),
  relation: z.exactOptional(z.string()),
  subjectType: z.exactOptional(z.string()),
  subjectId: z.exactOptional(z.string()),
  subjectRelation: z.exactOptional(z.string()),
}
export const RelationshipFilter = z.strictObject(filter).check(z.meta({ id: 'RelationshipFilter' }))
export type RelationshipFilter = z.infer<typeof RelationshipFilter>

/** What must, or must not, be there for a write to happen. */
export const Precondition = z
  .strictObject({ operation: z.enum(['mustMatch', 'mustNotMatch']), filter: RelationshipFilter })
  .check(z.meta({ id: 'RelationshipPrecondition' }))

/** How old an answer may be: `minimizeLatency` unless told. A `token` comes from an answer, and is SpiceDB's ZedToken. */
export const Consistency = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('minimizeLatency') }),
    z.strictObject({ kind: z.literal('fullyConsistent') }),
    z.strictObject({ kind: z.literal('atLeastAsFresh'), token: z.string() }),
    z.strictObject({ kind: z.literal('atExactSnapshot'), token: z.string() }),
  ])
  .check(z.meta({ id: 'Consistency' }))
export type Consistency = z.infer<typeof Consistency>

/** The same where it stands in an address. */
export const consistencyInQuery = {
  consistency: z.exactOptional(z.enum(['minimizeLatency', 'fullyConsistent', 'atLeastAsFresh', 'atExactSnapshot'])),
  token: z.exactOptional(z.string()),
}

/**
 * Asks as if things were otherwise, and writes nothing. `add` and `remove` are at most 1000 relationships each, none
 * twice; what is added stands in the place of the same one with another caveat or expiration. With `schema`, the text of
 * another, what is stored and does not fit it is left out, and counted as `leftOut` in the answer. What is wrong is told
 * at `whatIf.add[3].subject` and the like. Not with `atExactSnapshot` (`what-if-past`); an engine that cannot suppose, as
 * `can.suppose` of the status tells, answers 501 `what-if-not-supported`.
 */
export const WhatIf = z
  .strictObject({
    add: z._default(z.array(NewRelationship), []),
    remove: z._default(z.array(NewRelationship), []),
    schema: z.exactOptional(z.string()),
  })
  .check(z.meta({ id: 'PermissionWhatIf' }))
export type WhatIf = z.infer<typeof WhatIf>
export const whatIf = z.exactOptional(WhatIf)
/** How many stored relationships did not fit the schema that was supposed; only where `whatIf` was asked. */
export const leftOut = z.exactOptional(z.int())

const Permissionship = z.enum(['hasPermission', 'noPermission', 'conditional'])
/** An answer; `partialCaveatMissing` are the names of the parameters that it waits for, where it is conditional. */
export const verdict = { permissionship: Permissionship, partialCaveatMissing: z.array(z.string()) }
/** What is found by looking up: without permission nothing is. */
export const found = { ...verdict, permissionship: z.enum(['hasPermission', 'conditional']) }

const TraceStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['permission', 'relation']), name: z.string() }),
  z.object({ kind: z.enum(['union', 'intersection', 'exclusion', 'nil', 'self']) }),
  z.object({ kind: z.literal('arrow'), left: z.string(), right: z.string(), of: z.enum(['any', 'all']) }),
  z.object({ kind: z.literal('relationship'), relationship: Relationship }),
])

/** How an answer came about: a tree from the question down to the relationships that it rests on. */
export interface Trace {
  resource: ObjectReference
  subject: SubjectReference
  /** A permission, a relation, a part of an expression, or a stored relationship. */
  step: z.infer<typeof TraceStep>
  permissionship: z.infer<typeof Permissionship>
  partialCaveatMissing: string[]
  caveat?: z.infer<typeof DecidingCaveat>
  /** The relationship is not stored: it was supposed with `whatIf`. */
  isSupposed?: true
  /** Asked on the way to itself, and counted as no. */
  isCycle?: true
  /** Worked out elsewhere in the trace already: what it rests on stands there. */
  isRepeated?: true
  /** Parts below it are left out: there were too many to tell. The answer rests on them all the same. */
  isCut?: true
  /** In microseconds, with all below it. */
  duration: number
  children: Trace[]
}

/** Where a caveat decided: its expression, the values that were known, and how it came out. */
const DecidingCaveat = z.object({
  name: z.string(),
  expression: z.string(),
  context: CaveatContext,
  result: z.enum(['true', 'false', 'missing']),
  missing: z.array(z.string()),
  /** Of `missing` only: what is left of the expression with the known values put in, as CEL: `current_loa >= 3`. */
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

/** A subject as it stands in a relation, and under what it counts there; SpiceDB tells neither caveat nor expiration. */
const terms = {
  caveat: z.exactOptional(z.object({ name: z.string(), context: z.exactOptional(CaveatContext) })),
  expiresAt: z.exactOptional(Instant),
}
const ExpandedSubject = z.object({ subject: SubjectReference, ...terms })

/**
 * SpiceDB's ExpandPermissionTree: what a permission is made of. Permissions are followed on the resource and across
 * arrows; a set such as `group:staff#member` stands for itself, and is expanded by asking for it. `caveat` and `expiresAt`
 * of a node are those of the relationship of an arrow that led to it.
 */
export interface PermissionTree {
  resource: ObjectReference
  /** A permission or a relation; of the parts of an expression the permission whose parts they are. */
  permission: string
  caveat?: z.infer<typeof terms.caveat>
  expiresAt?: string
  node: z.infer<typeof TreeNode>
}

const TreeNode = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['union', 'intersection', 'exclusion']),
    /** Of an exclusion two: from what, and what is taken away. */
    children: z.array(z.lazy((): z.ZodMiniType<PermissionTree> => PermissionTree)),
  }),
  z.object({ kind: z.literal('leaf'), subjects: z.array(ExpandedSubject) }),
])

export const PermissionTree: z.ZodMiniType<PermissionTree> = z
  .object({ resource: ObjectReference, permission: z.string(), ...terms, node: TreeNode })
  .check(z.meta({ id: 'PermissionTree' }))

/** What went wrong with one of many. */
export const FaultInPlace = z.object({ code: z.string(), message: z.string(), field: z.exactOptional(z.string()) })

/** How the tools are opened: to administrators in the console, and to applications by a client of their own. */
export const reads = { access: 'admin', scope: 'permissions.read' } as const
export const writes = { access: 'admin', scope: 'permissions.write' } as const
export const tools = '/passport/admin/tools/permissions'

/** Of calls that take many questions or changes. */
export const manyBytes = 4 * 1024 * 1024

/** How many to send; more is not refused but cut to so many. */
export const atMost = (count: number, usual: number) =>
  z._default(
    z.coerce.number<number>().check(
      z.int(),
      z.minimum(1),
      z.overwrite((asked) => Math.min(asked, count)),
    ),
    usual,
  )

/** `cursor` is that of the page before, and goes together with the same question. */
export const paging = { limit: atMost(1000, 100), cursor: z.exactOptional(z.string()) }
/** Null after the last page. */
export const nextCursor = z.nullable(z.string())
export const consistency = z.exactOptional(Consistency)
export const context = z.exactOptional(CaveatContext)

/** May the subject do this to the resource? `permission` may be a relation too. */
export const question = { resource: ObjectReference, permission: z.string(), subject: SubjectReference, context }
export const Question = z.strictObject(question).check(z.meta({ id: 'PermissionQuestion' }))
export type Question = z.infer<typeof Question>
