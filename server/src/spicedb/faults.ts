import {
  type FaultCode,
  PermissionFault,
  type Precondition,
  type Relationship,
  type RelationshipFilter,
  type RelationshipUpdate,
  type SubjectReference,
} from '@passport/permissions'

/**
 * Maps a named thing to its field in a request, with keys such as `type document` or `relation document#view`.
 * SpiceDB's faults give the name but not the field.
 */
export type FieldPaths = Map<string, string>

interface Rule {
  message: RegExp
  code: FaultCode
  /** Returns the key of the field, or with a leading dot the field itself. */
  toFieldKey?: (groups: string[]) => string
}

/** Matches by message rather than by the reason in the details: many faults have none, and some transports drop it. */
const rules: Rule[] = [
  { message: /object definition `(.+?)` not found/, code: 'unknown-type', toFieldKey: ([type]) => `type ${type}` },
  {
    message: /relation\/permission `(.+?)` not found under definition `(.+?)`/,
    code: 'unknown-relation',
    toFieldKey: ([relation, type]) => `relation ${type}#${relation}`,
  },
  {
    message: /relation `(.+?)` does not have type information/,
    code: 'unknown-relation',
    toFieldKey: () => '.filter.relation',
  },
  {
    message: /cannot perform (?:check|lookup \w+) on wildcard/,
    code: 'wildcard-subject',
    toFieldKey: () => '.subject.id',
  },
  { message: /ObjectReference\.ObjectId: alphanumeric value/, code: 'malformed-id', toFieldKey: () => 'resource *' },
  {
    message: /SubjectReference\.OptionalRelation: optionalrelation must be empty/,
    code: 'malformed-id',
    toFieldKey: () => 'wildcard with relation',
  },
  {
    message: /subjects of type `(.+?)` are not allowed on relation `(.+?)` without one of the following caveats/,
    code: 'caveat-required',
    toFieldKey: ([subject, relation]) => `no caveat ${subject} on ${relation}`,
  },
  {
    message: /subjects of type `(.+?)` are not allowed on relation `(.+?)`/,
    code: 'subject-not-allowed',
    toFieldKey: ([subject, relation]) => `subject ${subject} on ${relation}`,
  },
  {
    message: /cannot write a relationship to permission `(.+?)` under definition `(.+?)`/,
    code: 'write-to-permission',
    toFieldKey: ([relation, type]) => `relation ${type}#${relation}`,
  },
  { message: /the caveat `(.+?)` was not found/, code: 'unknown-caveat', toFieldKey: ([name]) => `caveat ${name}` },
  {
    message: /could not CREATE relationship `(.+?)`, as it already existed/,
    code: 'already-exists',
    toFieldKey: ([text]) => `relationship ${text}`,
  },
  {
    message: /found more than one update with relationship `(.+?)`/,
    code: 'duplicate-update',
    toFieldKey: ([text]) => `again ${text}`,
  },
  { message: /unable to satisfy write precondition/, code: 'precondition-failed', toFieldKey: () => '.preconditions' },
  { message: /^too many updates/, code: 'too-many', toFieldKey: () => '.updates' },
  { message: /^precondition count of/, code: 'too-many', toFieldKey: () => '.preconditions' },
  { message: /^check count of/, code: 'too-many', toFieldKey: () => '.questions' },
  { message: /^provided limit \d+ is greater/, code: 'too-many', toFieldKey: () => '.limit' },
  { message: /request caveat context should have less than/, code: 'context-too-large', toFieldKey: () => '.context' },
  {
    message: /provided relationship `(.+?)` exceeded maximum allowed caveat size/,
    code: 'context-too-large',
    toFieldKey: ([text]) => `relationship ${text}`,
  },
  {
    message: /(?:could not convert context parameter|unknown parameter) `(.+?)`/,
    code: 'context-type',
    toFieldKey: ([name]) => `context ${name}`,
  },
  { message: /evaluation error for caveat/, code: 'caveat-failed', toFieldKey: () => '.context' },
  { message: /max depth exceeded/, code: 'depth-exceeded' },
  { message: /^(?:the cursor provided|error decoding cursor)/, code: 'cursor-mismatch', toFieldKey: () => '.cursor' },
  {
    message: /revision has expired|stale revision|out of range/i,
    code: 'snapshot-gone',
    toFieldKey: () => '.consistency.token',
  },
  { message: /zedtoken|revision/i, code: 'token-invalid', toFieldKey: () => '.consistency.token' },
  {
    message: /at least one field must be set|cannot be set at the same time/,
    code: 'filter-invalid',
    toFieldKey: () => '.filter',
  },
]

const inProcessStatuses = new Set([
  'InvalidArgument',
  'FailedPrecondition',
  'AlreadyExists',
  'OutOfRange',
  'Unknown',
  'ResourceExhausted',
])
/** The gRPC codes of errors the caller can fix. */
const statusNames = new Map([
  [2, 'Unknown'],
  [3, 'InvalidArgument'],
  [6, 'AlreadyExists'],
  [8, 'ResourceExhausted'],
  [9, 'FailedPrecondition'],
  [11, 'OutOfRange'],
])

/** Returns SpiceDB's message for an error the caller can fix, from gRPC or the in-process library. */
export function readMessage(error: unknown): string | undefined {
  if (!(error instanceof Error || (typeof error === 'object' && error !== null))) return undefined
  const { code, details, message } = error as { code?: number; details?: string; message?: string }
  if (code !== undefined) return statusNames.has(code) ? details : undefined
  const inProcess = /^rpc error: code = (\w+) desc = ([\s\S]*)$/.exec(message ?? '')
  return inProcess?.[1] !== undefined && inProcessStatuses.has(inProcess[1]) ? inProcess[2] : undefined
}

/** Runs the call, and converts a refusal to a fault with its field. */
export async function withFaults<T>(fieldPaths: () => FieldPaths, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof PermissionFault ? error : toFault(error, fieldPaths())
  }
}

/** Converts a SpiceDB error to a fault; returns other errors unchanged. */
export function toFault(error: unknown, fieldPaths: FieldPaths): unknown {
  const spiceDbMessage = readMessage(error)
  return spiceDbMessage === undefined ? error : (parseFault(spiceDbMessage, fieldPaths) ?? error)
}

/** Parses the fault in a SpiceDB message. */
export function parseFault(spiceDbMessage: string, fieldPaths: FieldPaths): PermissionFault | undefined {
  const malformed = /^validation errors?:\s+(?:- )?([\w.[\]]+): /.exec(spiceDbMessage)
  if (malformed?.[1] !== undefined) return toMalformedFault(malformed[1], spiceDbMessage)
  for (const { message, code, toFieldKey } of rules) {
    const groups = message.exec(spiceDbMessage)
    if (groups === null) continue
    const field = fieldOf(toFieldKey?.(groups.slice(1)), fieldPaths)
    return new PermissionFault(
      code === 'unknown-relation' && field?.endsWith('permission') ? 'unknown-permission' : code,
      spiceDbMessage,
      field,
    )
  }
  return undefined
}

function fieldOf(fieldKey: string | undefined, fieldPaths: FieldPaths): string | undefined {
  return fieldKey?.startsWith('.') ? fieldKey.slice(1) : fieldPaths.get(fieldKey ?? '')
}

const pathReplacements: [RegExp, string][] = [
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

/** Converts a path in SpiceDB's message to ours: `subject.object.object_id` becomes `subject.id`. */
function toMalformedFault(path: string, spiceDbMessage: string): PermissionFault {
  const field = pathReplacements.reduce((text, [from, to]) => text.replace(from, to), path)
  const part = field.split('.').at(-1)?.toLowerCase() ?? ''
  const code = part.endsWith('type')
    ? 'malformed-type'
    : /id(prefix)?$/.test(part)
      ? 'malformed-id'
      : 'malformed-relation'
  return new PermissionFault(code, spiceDbMessage, field)
}

/** Returns the fields of the names in a question; for duplicates, the first. */
export function collectFieldPaths(
  parts: {
    resource?: { type: string; id?: string }
    permission?: string
    subject?: SubjectReference
    fields?: Partial<Record<'resource' | 'subject' | 'subjectRelation', string>>
    context?: object
  },
  prefix = '',
  fieldPaths: FieldPaths = new Map(),
): FieldPaths {
  const { resource, permission, subject, fields } = parts
  const add = (key: string, field: string) => fieldPaths.has(key) || fieldPaths.set(key, prefix + field)
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
  return fieldPaths
}

export function collectFilterPaths(
  filter: RelationshipFilter,
  prefix = 'filter.',
  fieldPaths: FieldPaths = new Map(),
): FieldPaths {
  const add = (key: string, field: string) => fieldPaths.has(key) || fieldPaths.set(key, prefix + field)
  if (filter.resourceType) add(`type ${filter.resourceType}`, 'resourceType')
  if (filter.relation) add(`relation ${filter.resourceType ?? ''}#${filter.relation}`, 'relation')
  if (filter.subjectType) add(`type ${filter.subjectType}`, 'subjectType')
  if (filter.subjectRelation) add(`relation ${filter.subjectType ?? ''}#${filter.subjectRelation}`, 'subjectRelation')
  return fieldPaths
}

export function collectWritePaths(updates: RelationshipUpdate[], preconditions: Precondition[]): FieldPaths {
  const fieldPaths: FieldPaths = new Map()
  for (const [index, { relationship }] of updates.entries()) {
    addRelationship(fieldPaths, relationship, `updates.${index}.relationship`)
  }
  for (const [index, { filter }] of preconditions.entries()) {
    collectFilterPaths(filter, `preconditions.${index}.filter.`, fieldPaths)
  }
  return fieldPaths
}

function addRelationship(fieldPaths: FieldPaths, relationship: Relationship, field: string): void {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const add = (key: string, suffix: string) => fieldPaths.has(key) || fieldPaths.set(key, field + suffix)
  collectFieldPaths({ resource, subject }, `${field}.`, fieldPaths)
  add(`relation ${resource.type}#${relation}`, '.relation')
  const conditions = [caveat?.name, expiresAt === undefined ? undefined : 'expiration'].filter((part) => part)
  const kind = subject.type + (subject.id === '*' ? ':*' : subject.relation ? `#${subject.relation}` : '')
  const traits = conditions.length > 0 ? ` with ${conditions.join(' and ')}` : ''
  add(`subject ${kind}${traits} on ${resource.type}#${relation}`, '.subject')
  add(`no caveat ${kind}${traits} on ${resource.type}#${relation}`, '.caveat')
  const text = `${resource.type}:${resource.id}#${relation}@${subject.type}:${subject.id}${subject.relation ? `#${subject.relation}` : ''}`
  if (fieldPaths.has(`relationship ${text}`)) add(`again ${text}`, '')
  add(`relationship ${text}`, '')
  if (caveat) add(`caveat ${caveat.name}`, '.caveat.name')
  for (const name of Object.keys(caveat?.context ?? {})) add(`context ${name}`, `.caveat.context.${name}`)
}
