import { v1 } from '@authzed/authzed-node'
import type {
  CaveatContext,
  Consistency,
  ObjectReference,
  Precondition,
  Relationship,
  RelationshipFilter,
  RelationshipUpdate,
  SubjectReference,
} from '@passport/permissions'

type JsonObject = Parameters<typeof v1.createStructFromObject>[0]

export function toConsistency(consistency: Consistency | undefined): v1.Consistency {
  switch (consistency?.kind) {
    case 'atLeastAsFresh':
      return { requirement: { oneofKind: 'atLeastAsFresh', atLeastAsFresh: { token: consistency.token } } }
    case 'atExactSnapshot':
      return { requirement: { oneofKind: 'atExactSnapshot', atExactSnapshot: { token: consistency.token } } }
    case 'fullyConsistent':
      return { requirement: { oneofKind: 'fullyConsistent', fullyConsistent: true } }
    default:
      return { requirement: { oneofKind: 'minimizeLatency', minimizeLatency: true } }
  }
}

export function toObject({ type, id }: ObjectReference): v1.ObjectReference {
  return { objectType: type, objectId: id }
}

export function toSubject(subject: SubjectReference): v1.SubjectReference {
  return { object: toObject(subject), optionalRelation: subject.relation ?? '' }
}

/** Returns the context part of a message; empty without a context. */
export function toContext(context: CaveatContext | undefined): { context?: v1.PbStruct } {
  return context === undefined ? {} : { context: v1.createStructFromObject(context as JsonObject) }
}

export function fromStruct(struct: v1.PbStruct | undefined): CaveatContext {
  return struct === undefined ? {} : (v1.PbStruct.toJson(struct) as CaveatContext)
}

function toRelationship({ resource, relation, subject, caveat, expiresAt }: Relationship): v1.Relationship {
  return {
    resource: toObject(resource),
    relation,
    subject: toSubject(subject),
    ...(caveat && { optionalCaveat: { caveatName: caveat.name, ...toContext(caveat.context) } }),
    ...(expiresAt !== undefined && { optionalExpiresAt: toTimestamp(expiresAt) }),
  }
}

function toTimestamp(milliseconds: number) {
  const seconds = Math.floor(milliseconds / 1000)
  return { seconds: String(seconds), nanos: Math.round((milliseconds - seconds * 1000) * 1_000_000) }
}

export function fromObject(object: v1.ObjectReference | undefined): ObjectReference {
  return { type: object?.objectType ?? '', id: object?.objectId ?? '' }
}

export function fromSubject(subject: v1.SubjectReference | undefined): SubjectReference {
  return {
    ...fromObject(subject?.object),
    ...(subject?.optionalRelation && { relation: subject.optionalRelation }),
  }
}

export function fromRelationship(message: v1.Relationship): Relationship {
  const context = fromStruct(message.optionalCaveat?.context)
  const expiry = message.optionalExpiresAt
  return {
    resource: fromObject(message.resource),
    relation: message.relation,
    subject: fromSubject(message.subject),
    ...(message.optionalCaveat && {
      caveat: { name: message.optionalCaveat.caveatName, ...(Object.keys(context).length > 0 && { context }) },
    }),
    ...(expiry && { expiresAt: Number(expiry.seconds) * 1000 + expiry.nanos / 1_000_000 }),
  }
}

export function toFilter(filter: RelationshipFilter): v1.RelationshipFilter {
  const hasSubject =
    filter.subjectType !== undefined || filter.subjectId !== undefined || filter.subjectRelation !== undefined
  return {
    resourceType: filter.resourceType ?? '',
    optionalResourceId: filter.resourceId ?? '',
    optionalResourceIdPrefix: filter.resourceIdPrefix ?? '',
    optionalRelation: filter.relation ?? '',
    ...(hasSubject && {
      optionalSubjectFilter: {
        subjectType: filter.subjectType ?? '',
        optionalSubjectId: filter.subjectId ?? '',
        ...(filter.subjectRelation !== undefined && { optionalRelation: { relation: filter.subjectRelation } }),
      },
    }),
  }
}

const preconditionOperations = {
  mustNotMatch: v1.Precondition_Operation.MUST_NOT_MATCH,
  mustMatch: v1.Precondition_Operation.MUST_MATCH,
}

export function toPrecondition({ operation, filter }: Precondition): v1.Precondition {
  return { operation: preconditionOperations[operation], filter: toFilter(filter) }
}

const updateOperations = {
  create: v1.RelationshipUpdate_Operation.CREATE,
  touch: v1.RelationshipUpdate_Operation.TOUCH,
  delete: v1.RelationshipUpdate_Operation.DELETE,
}

export function toUpdate({ operation, relationship }: RelationshipUpdate): v1.RelationshipUpdate {
  return { operation: updateOperations[operation], relationship: toRelationship(relationship) }
}
