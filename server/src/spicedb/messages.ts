import { v1 } from '@authzed/authzed-node'
import type {
  CaveatContext,
  Consistency,
  ObjectReference,
  Permissionship,
  PermissionTree,
  Precondition,
  Relationship,
  RelationshipFilter,
  RelationshipUpdate,
  SubjectReference,
  Trace,
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

export const toObject = ({ type, id }: ObjectReference): v1.ObjectReference => ({ objectType: type, objectId: id })

export const toSubject = (subject: SubjectReference): v1.SubjectReference => ({
  object: toObject(subject),
  optionalRelation: subject.relation ?? '',
})

/** Returns the `context` member of a message; empty without a context. */
export const toContext = (context: CaveatContext | undefined): { context?: v1.PbStruct } =>
  context === undefined ? {} : { context: v1.createStructFromObject(context as JsonObject) }

const fromStruct = (struct: v1.PbStruct | undefined): CaveatContext =>
  struct === undefined ? {} : (v1.PbStruct.toJson(struct) as CaveatContext)

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

const fromObject = (object: v1.ObjectReference | undefined): ObjectReference => ({
  type: object?.objectType ?? '',
  id: object?.objectId ?? '',
})

const fromSubject = (subject: v1.SubjectReference | undefined): SubjectReference => ({
  ...fromObject(subject?.object),
  ...(subject?.optionalRelation && { relation: subject.optionalRelation }),
})

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

export const toPrecondition = ({ operation, filter }: Precondition): v1.Precondition => ({
  operation: preconditionOperations[operation],
  filter: toFilter(filter),
})

const updateOperations = {
  create: v1.RelationshipUpdate_Operation.CREATE,
  touch: v1.RelationshipUpdate_Operation.TOUCH,
  delete: v1.RelationshipUpdate_Operation.DELETE,
}

export const toUpdate = ({ operation, relationship }: RelationshipUpdate): v1.RelationshipUpdate => ({
  operation: updateOperations[operation],
  relationship: toRelationship(relationship),
})

/** Types of SpiceDB's messages that its client does not export. */
type CheckTrace = NonNullable<NonNullable<v1.CheckPermissionResponse['debugTrace']>['check']>
type CaveatInfo = NonNullable<CheckTrace['caveatEvaluationInfo']>

/** Indexed by SpiceDB's enum; its first value, unspecified, is that of a node whose objects have different results. */
const permissionships: Permissionship[] = ['noPermission', 'noPermission', 'hasPermission', 'conditional']

export function fromPermissionship(result: v1.CheckPermissionResponse_Permissionship): Permissionship {
  return permissionships[result] ?? 'noPermission'
}

export function readMissing(info: v1.PartialCaveatInfo | undefined): string[] {
  return [...new Set(info?.missingRequiredContext)].sort()
}

/**
 * Converts SpiceDB's trace, which has no operators and no individual relationships. A node can be a check of several
 * objects of a type; its id is then theirs, separated by commas.
 */
export function fromTrace(message: CheckTrace): Trace {
  const caveat = message.caveatEvaluationInfo && fromCaveat(message.caveatEvaluationInfo)
  const { duration, resolution } = message
  return {
    resource: fromObject(message.resource),
    subject: fromSubject(message.subject),
    step: { kind: message.permissionType === 1 ? 'relation' : 'permission', name: message.permission },
    permissionship: applyCaveatResult(fromPermissionship(message.result as number), caveat),
    missing: caveat?.missing ?? [],
    ...(caveat && { caveat }),
    duration: Number(duration?.seconds ?? 0) * 1_000_000 + (duration?.nanos ?? 0) / 1000,
    children: resolution.oneofKind === 'subProblems' ? resolution.subProblems.traces.map(fromTrace) : [],
  }
}

/** Applies the result of a caveat to its node, which SpiceDB always reports as conditional. */
function applyCaveatResult(result: Permissionship, caveat: Trace['caveat']): Permissionship {
  if (result !== 'conditional' || caveat === undefined || caveat.result === 'missing') return result
  return caveat.result === 'true' ? 'hasPermission' : 'noPermission'
}

/** Indexed by SpiceDB's enum. */
const caveatResults = ['missing', 'missing', 'false', 'true', 'missing'] as const

function fromCaveat(info: CaveatInfo): NonNullable<Trace['caveat']> {
  return {
    name: info.caveatName,
    expression: info.expression,
    context: fromStruct(info.context),
    result: caveatResults[info.result as number] ?? 'missing',
    missing: readMissing(info.partialCaveatInfo),
  }
}

const operations = {
  [v1.AlgebraicSubjectSet_Operation.UNSPECIFIED]: 'union',
  [v1.AlgebraicSubjectSet_Operation.UNION]: 'union',
  [v1.AlgebraicSubjectSet_Operation.INTERSECTION]: 'intersection',
  [v1.AlgebraicSubjectSet_Operation.EXCLUSION]: 'exclusion',
} as const

export function fromTree({
  treeType,
  expandedObject,
  expandedRelation,
}: v1.PermissionRelationshipTree): PermissionTree {
  const base = { resource: fromObject(expandedObject), permission: expandedRelation }
  if (treeType.oneofKind === 'intermediate') {
    const { operation, children } = treeType.intermediate
    return { ...base, node: { kind: operations[operation], children: children.map(fromTree) } }
  }
  const subjects = treeType.oneofKind === 'leaf' ? treeType.leaf.subjects.map(fromSubject) : []
  const sorted = subjects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return { ...base, node: { kind: 'leaf', subjects: sorted.map((subject) => ({ subject })) } }
}

const keyOf = ({ type, id, relation = '' }: ReturnType<typeof fromSubject>) => `${type}:${id}#${relation}`
