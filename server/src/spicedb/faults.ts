import { type FaultCode, PermissionFault } from '@passport/permissions/fault'
import type {
  Precondition,
  Relationship,
  RelationshipFilter,
  RelationshipUpdate,
  SubjectReference,
} from '@passport/permissions/relationship'

/**
 * Where in a request a thing is named, by a key such as `type document` or `relation document#view`. SpiceDB's faults
 * name the thing and not the place.
 */
export type Places = Map<string, string>

interface Rule {
  message: RegExp
  code: FaultCode
  /** The key of the place, or the place itself where it starts with a dot. */
  place?: (groups: string[]) => string
}

/** By message and not by the reason in the details, since many faults carry none and some transports drop them. */
const rules: Rule[] = [
  { message: /object definition `(.+?)` not found/, code: 'unknown-type', place: ([type]) => `type ${type}` },
  {
    message: /relation\/permission `(.+?)` not found under definition `(.+?)`/,
    code: 'unknown-relation',
    place: ([relation, type]) => `relation ${type}#${relation}`,
  },
  {
    message: /relation `(.+?)` does not have type information/,
    code: 'unknown-relation',
    place: () => '.filter.relation',
  },
  { message: /cannot perform (?:check|lookup \w+) on wildcard/, code: 'wildcard-subject', place: () => '.subject.id' },
  { message: /ObjectReference\.ObjectId: alphanumeric value/, code: 'malformed-id', place: () => 'resource *' },
  {
    message: /SubjectReference\.OptionalRelation: optionalrelation must be empty/,
    code: 'malformed-id',
    place: () => 'wildcard with relation',
  },
  {
    message: /subjects of type `(.+?)` are not allowed on relation `(.+?)` without one of the following caveats/,
    code: 'caveat-required',
    place: ([subject, relation]) => `no caveat ${subject} on ${relation}`,
  },
  {
    message: /subjects of type `(.+?)` are not allowed on relation `(.+?)`/,
    code: 'subject-not-allowed',
    place: ([subject, relation]) => `subject ${subject} on ${relation}`,
  },
  {
    message: /cannot write a relationship to permission `(.+?)` under definition `(.+?)`/,
    code: 'write-to-permission',
    place: ([relation, type]) => `relation ${type}#${relation}`,
  },
  { message: /the caveat `(.+?)` was not found/, code: 'unknown-caveat', place: ([name]) => `caveat ${name}` },
  {
    message: /could not CREATE relationship `(.+?)`, as it already existed/,
    code: 'already-exists',
    place: ([text]) => `relationship ${text}`,
  },
  {
    message: /found more than one update with relationship `(.+?)`/,
    code: 'duplicate-update',
    place: ([text]) => `again ${text}`,
  },
  { message: /unable to satisfy write precondition/, code: 'precondition-failed', place: () => '.preconditions' },
  { message: /^too many updates/, code: 'too-many', place: () => '.updates' },
  { message: /^precondition count of/, code: 'too-many', place: () => '.preconditions' },
  { message: /^check count of/, code: 'too-many', place: () => '.questions' },
  { message: /^provided limit \d+ is greater/, code: 'too-many', place: () => '.limit' },
  { message: /request caveat context should have less than/, code: 'context-too-large', place: () => '.context' },
  {
    message: /provided relationship `(.+?)` exceeded maximum allowed caveat size/,
    code: 'context-too-large',
    place: ([text]) => `relationship ${text}`,
  },
  {
    message: /(?:could not convert context parameter|unknown parameter) `(.+?)`/,
    code: 'context-type',
    place: ([name]) => `context ${name}`,
  },
  { message: /evaluation error for caveat/, code: 'caveat-failed', place: () => '.context' },
  { message: /max depth exceeded/, code: 'depth-exceeded' },
  { message: /^(?:the cursor provided|error decoding cursor)/, code: 'cursor-mismatch', place: () => '.cursor' },
  {
    message: /revision has expired|stale revision|out of range/i,
    code: 'snapshot-gone',
    place: () => '.consistency.token',
  },
  { message: /zedtoken|revision/i, code: 'token-invalid', place: () => '.consistency.token' },
  {
    message: /at least one field must be set|cannot be set at the same time/,
    code: 'filter-invalid',
    place: () => '.filter',
  },
]

const faultyStatus = new Set([
  'InvalidArgument',
  'FailedPrecondition',
  'AlreadyExists',
  'OutOfRange',
  'Unknown',
  'ResourceExhausted',
])
/** Of those codes of gRPC that stand for what a caller can mend. */
const statusNames = new Map([
  [2, 'Unknown'],
  [3, 'InvalidArgument'],
  [6, 'AlreadyExists'],
  [8, 'ResourceExhausted'],
  [9, 'FailedPrecondition'],
  [11, 'OutOfRange'],
])

/** What SpiceDB said, where it is something that its caller can mend: over gRPC, and of the library in process. */
export function readRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error || (typeof error === 'object' && error !== null))) return undefined
  const { code, details, message } = error as { code?: number; details?: string; message?: string }
  if (code !== undefined) return statusNames.has(code) ? details : undefined
  const inProcess = /^rpc error: code = (\w+) desc = ([\s\S]*)$/.exec(message ?? '')
  return inProcess?.[1] !== undefined && faultyStatus.has(inProcess[1]) ? inProcess[2] : undefined
}

/** Asks, and tells a refusal as a fault at its place in the request. */
export async function ask<T>(places: () => Places, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof PermissionFault ? error : readFault(error, places())
  }
}

/** The fault that an error of SpiceDB stands for; the error itself where it is no fault of the request. */
export function readFault(error: unknown, places: Places): unknown {
  const refusal = readRefusal(error)
  return refusal === undefined ? error : (faultOf(refusal, places) ?? error)
}

/** The fault in a message of SpiceDB. */
export function faultOf(refusal: string, places: Places): PermissionFault | undefined {
  const malformed = /^validation errors?:\s+(?:- )?([\w.[\]]+): /.exec(refusal)
  if (malformed?.[1] !== undefined) return malformedPart(malformed[1], refusal)
  for (const { message, code, place } of rules) {
    const groups = message.exec(refusal)
    if (groups === null) continue
    const field = fieldOf(place?.(groups.slice(1)), places)
    return new PermissionFault(
      code === 'unknown-relation' && field?.endsWith('permission') ? 'unknown-permission' : code,
      refusal,
      field,
    )
  }
  return undefined
}

function fieldOf(place: string | undefined, places: Places): string | undefined {
  return place?.startsWith('.') ? place.slice(1) : places.get(place ?? '')
}

const names: [RegExp, string][] = [
  [/\[(\d+)\]/g, '.$1'],
  [/^items/, 'questions'],
  [/optional_preconditions/, 'preconditions'],
  [/relationship_filter/, 'filter'],
  [/subject\.object\./, 'subject.'],
  [
    /optional_subject_filter\.(?:optional_)?relation\.relation|optional_subject_filter\.optional_relation.*|optional_subject_relation/,
    'subjectRelation',
  ],
  [/optional_subject_filter\.(?:optional_)?subject_id/, 'subjectId'],
  [/optional_subject_filter\.subject_type|subject_object_type/, 'subjectType'],
  [/optional_resource_id_prefix/, 'resourceIdPrefix'],
  [/optional_resource_id/, 'resourceId'],
  [/resource_object_type|resource_type/, 'resourceType'],
  [/object_type/, 'type'],
  [/object_id/, 'id'],
  [/optional_relation/, 'relation'],
  [/optional_caveat\.caveat_name/, 'caveat.name'],
]

/** From the path in SpiceDB's message to ours: `subject.object.object_id` is `subject.id`. */
function malformedPart(path: string, refusal: string): PermissionFault {
  const field = names.reduce((text, [from, to]) => text.replace(from, to), path)
  const part = field.split('.').at(-1)?.toLowerCase() ?? ''
  const code = part.endsWith('type')
    ? 'malformed-type'
    : /id(prefix)?$/.test(part)
      ? 'malformed-id'
      : 'malformed-relation'
  return new PermissionFault(code, refusal, field)
}

/** Where a question names what; of the first where several do. */
export function placesOf(
  parts: {
    resource?: { type: string; id?: string }
    permission?: string
    subject?: SubjectReference
    fields?: Partial<Record<'resource' | 'subject' | 'subjectRelation', string>>
    context?: object
  },
  prefix = '',
  places: Places = new Map(),
): Places {
  const { resource, permission, subject, fields } = parts
  const add = (key: string, field: string) => places.has(key) || places.set(key, prefix + field)
  if (resource) {
    add(`type ${resource.type}`, fields?.resource ?? 'resource.type')
    if (resource.id === '*') add('resource *', 'resource.id')
    if (permission) add(`relation ${resource.type}#${permission}`, 'permission')
  }
  if (subject) {
    add(`type ${subject.type}`, fields?.subject ?? 'subject.type')
    if (subject.relation)
      add(`relation ${subject.type}#${subject.relation}`, fields?.subjectRelation ?? 'subject.relation')
    if (subject.relation && subject.id === '*') add('wildcard with relation', 'subject.id')
  }
  for (const name of Object.keys(parts.context ?? {})) add(`context ${name}`, `context.${name}`)
  return places
}

export function placesOfFilter(filter: RelationshipFilter, prefix = 'filter.', places: Places = new Map()): Places {
  const add = (key: string, field: string) => places.has(key) || places.set(key, prefix + field)
  if (filter.resourceType) add(`type ${filter.resourceType}`, 'resourceType')
  if (filter.relation) add(`relation ${filter.resourceType ?? ''}#${filter.relation}`, 'relation')
  if (filter.subjectType) add(`type ${filter.subjectType}`, 'subjectType')
  if (filter.subjectRelation) add(`relation ${filter.subjectType ?? ''}#${filter.subjectRelation}`, 'subjectRelation')
  return places
}

export function placesOfWrite(updates: RelationshipUpdate[], preconditions: Precondition[]): Places {
  const places: Places = new Map()
  for (const [index, { relationship }] of updates.entries()) {
    addRelationship(places, relationship, `updates.${index}.relationship`)
  }
  for (const [index, { filter }] of preconditions.entries()) {
    placesOfFilter(filter, `preconditions.${index}.filter.`, places)
  }
  return places
}

function addRelationship(places: Places, relationship: Relationship, field: string): void {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const add = (key: string, place: string) => places.has(key) || places.set(key, field + place)
  placesOf({ resource, subject }, `${field}.`, places)
  add(`relation ${resource.type}#${relation}`, '.relation')
  const conditions = [caveat?.name, expiresAt === undefined ? undefined : 'expiration'].filter((part) => part)
  const kind = subject.type + (subject.id === '*' ? ':*' : subject.relation ? `#${subject.relation}` : '')
  const traits = conditions.length > 0 ? ` with ${conditions.join(' and ')}` : ''
  add(`subject ${kind}${traits} on ${resource.type}#${relation}`, '.subject')
  add(`no caveat ${kind}${traits} on ${resource.type}#${relation}`, '.caveat')
  const text = `${resource.type}:${resource.id}#${relation}@${subject.type}:${subject.id}${subject.relation ? `#${subject.relation}` : ''}`
  if (places.has(`relationship ${text}`)) add(`again ${text}`, '')
  add(`relationship ${text}`, '')
  if (caveat) add(`caveat ${caveat.name}`, '.caveat.name')
  for (const name of Object.keys(caveat?.context ?? {})) add(`context ${name}`, `.caveat.context.${name}`)
}
