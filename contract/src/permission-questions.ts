import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import {
  atMost,
  consistency,
  context,
  FaultInPlace,
  found,
  leftOut,
  manyBytes,
  nextCursor,
  ObjectReference,
  PermissionTree,
  paging,
  Question,
  question,
  Relationship,
  reads,
  SubjectReference,
  Trace,
  tools,
  verdict,
  whatIf,
} from './permission-terms.ts'

/** Why an answer is as it is, as one of these words, by which programs may go. */
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
  .check(z.meta({ id: 'PermissionReason' }))
export type Reason = z.infer<typeof Reason>

/** The answer, good at the moment `checkedAt`; with its trace where that was asked for. */
export const CheckAnswer = z
  .object({
    ...verdict,
    /**
     * Where it is conditional: what is left to be found out, as one CEL expression over the missing names, such as
     * `current_loa >= 3 && !banned_today`. Left out where the engine cannot tell, or where it would be too long.
     */
    residual: z.exactOptional(z.string()),
    /** With the trace. Left out where that does not tell, because a part of it is cut, and of a SpiceDB behind Passport. */
    reason: z.exactOptional(Reason),
    leftOut,
    checkedAt: z.string(),
    debugTrace: z.exactOptional(Trace),
  })
  .check(z.meta({ id: 'CheckAnswer' }))
export type CheckAnswer = z.infer<typeof CheckAnswer>

export const checkPermission = endpoint('POST', `${tools}/check`, {
  summary: 'Tell whether a subject may do something to a resource, and why',
  ...reads,
  body: json(z.strictObject({ ...question, consistency, withTrace: z.exactOptional(z.boolean()), whatIf }), {
    maxBytes: manyBytes,
  }),
  returns: json(CheckAnswer),
  fails: [409, 410, 501, 503],
})

/** Answers in the order of the questions; what is wrong with one is told in its place and spoils no other. */
export const checkPermissionsInBulk = endpoint('POST', `${tools}/checkbulk`, {
  summary: 'Answer at most 1000 questions at one moment',
  ...reads,
  body: json(z.strictObject({ items: z.array(Question), consistency, whatIf }), { maxBytes: manyBytes }),
  returns: json(
    z.object({
      items: z.array(z.union([z.object(verdict), z.object({ error: FaultInPlace })])),
      checkedAt: z.string(),
      leftOut,
    }),
  ),
  fails: [409, 410, 501, 503],
})

const lookedUp = {
  cursor: nextCursor,
  lookedUpAt: z.string(),
  /** Groups went round in a circle somewhere on the way. */
  hasCycle: z.boolean(),
  /** How many permissions and relations of objects were looked at for this page; left out where the engine cannot tell. */
  visited: z.exactOptional(z.int()),
  leftOut,
}

export const FoundResource = z.object({ id: z.string(), ...found })
/** Ordered by id, none twice. */
export const lookUpResources = endpoint('POST', `${tools}/lookupresources`, {
  summary: 'List the resources of a type to which a subject may do something',
  ...reads,
  body: json(
    z.strictObject({
      resourceType: z.string(),
      permission: z.string(),
      subject: SubjectReference,
      context,
      ...paging,
      consistency,
      whatIf,
    }),
    { maxBytes: manyBytes },
  ),
  returns: json(z.object({ items: z.array(FoundResource), ...lookedUp })),
  fails: [409, 410, 501, 503],
})

/** `*` is everyone but the excluded, and only it has those. */
export const FoundSubject = z.object({
  id: z.string(),
  relation: z.exactOptional(z.string()),
  ...found,
  excluded: z.array(z.object({ id: z.string(), ...found })),
})
/** Ordered by id, `*` first; whoever is found besides the wildcard is told too. */
export const lookUpSubjects = endpoint('POST', `${tools}/lookupsubjects`, {
  summary: 'List the subjects of a type that may do something to a resource',
  ...reads,
  body: json(
    z.strictObject({
      resource: ObjectReference,
      permission: z.string(),
      subjectType: z.string(),
      subjectRelation: z.exactOptional(z.string()),
      context,
      /** Whether `*` is told. */
      wildcards: z._default(z.enum(['include', 'exclude']), 'include'),
      ...paging,
      consistency,
      whatIf,
    }),
    { maxBytes: manyBytes },
  ),
  returns: json(z.object({ items: z.array(FoundSubject), ...lookedUp })),
  fails: [409, 410, 501, 503],
})

/** A tree of more than 20,000 subjects and nodes is refused as `graph-too-large`. */
export const expandPermission = endpoint('POST', `${tools}/expand`, {
  summary: 'Show which operators and subjects a permission of a resource is made of',
  ...reads,
  body: json(z.strictObject({ resource: ObjectReference, permission: z.string(), consistency, whatIf }), {
    maxBytes: manyBytes,
  }),
  returns: json(z.object({ tree: PermissionTree, expandedAt: z.string(), leftOut })),
  fails: [409, 410, 501, 503],
})

/** Every permission and relation of the resource in one answer. */
export const listPermissionsOfSubject = endpoint('POST', `${tools}/grid`, {
  summary: 'Answer for every permission of a resource whether a subject has it',
  ...reads,
  body: json(z.strictObject({ resource: ObjectReference, subject: SubjectReference, context, consistency, whatIf }), {
    maxBytes: manyBytes,
  }),
  returns: json(
    z.object({
      items: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(['permission', 'relation']),
          ...verdict,
          /** Where there is no answer; then it stands at `noPermission`. */
          error: z.exactOptional(FaultInPlace),
        }),
      ),
      checkedAt: z.string(),
      leftOut,
    }),
  ),
  fails: [409, 410, 501, 503],
})

/** One relationship that is to be added or removed, and the answer that there would be then. */
export const Miss = z.object({ change: z.enum(['add', 'remove']), relationship: Relationship, ...verdict })
export type Miss = z.infer<typeof Miss>
/** Each is tried before it is told, besides what is supposed. The nearest to the resource come first; none where no single relationship will do. */
export const findClosestMiss = endpoint('POST', `${tools}/closestmiss`, {
  summary: 'Find the single relationships that would turn an answer round',
  ...reads,
  body: json(z.strictObject({ ...question, whatIf }), { maxBytes: manyBytes }),
  returns: json(z.object({ ...verdict, items: z.array(Miss), checkedAt: z.string() })),
  fails: [409, 501, 503],
})

/** Ids that begin so, in order: those of resources and of subjects. `name` is that of the directory where it knows one. */
export const completeObjectIds = endpoint('GET', `${tools}/objects`, {
  summary: 'List the ids of a type that begin with a prefix',
  ...reads,
  query: z.object({ type: z.string(), prefix: z._default(z.string(), ''), limit: atMost(100, 20) }),
  returns: json(z.object({ items: z.array(z.object({ id: z.string(), name: z.nullable(z.string()) })) })),
  fails: [501],
})

/** At most 1000 objects; those that the directory does not know, or that are of other types, are left out. */
export const nameObjects = endpoint('POST', `${tools}/names`, {
  summary: 'Tell what objects of the directory are called',
  ...reads,
  body: json(z.strictObject({ objects: z.array(ObjectReference).check(z.maxLength(1000)) }), { maxBytes: manyBytes }),
  returns: json(z.object({ items: z.array(z.object({ type: z.string(), id: z.string(), name: z.string() })) })),
})

/** What answers, and how far it has come. What an engine cannot tell is null; what it cannot do is false under `can`. */
export const PermissionStatus = z
  .object({
    engine: z.object({ kind: z.enum(['embedded', 'spicedb']), version: z.string() }),
    /** The moment of the newest commit that is known. */
    revision: z.string(),
    /** How far this process is behind it, in commits and in milliseconds. */
    lag: z.nullable(z.object({ commits: z.int(), milliseconds: z.number() })),
    counts: z.nullable(
      z.array(
        z.object({
          type: z.string(),
          /** The relationships whose resource is of the type. */
          relationships: z.int(),
        }),
      ),
    ),
    can: z.object({ suppose: z.boolean(), history: z.boolean(), completion: z.boolean(), importAtOnce: z.boolean() }),
  })
  .check(z.meta({ id: 'PermissionStatus' }))
export type PermissionStatus = z.infer<typeof PermissionStatus>

export const getPermissionStatus = endpoint('GET', `${tools}/status`, {
  summary: 'Tell which engine answers, and how far it has come',
  ...reads,
  returns: json(PermissionStatus),
})
