import {
  type ErrorCode,
  type ObjectReference,
  PermissionError,
  type Precondition,
  printRelationship,
  type Relationship,
  type RelationshipFilter,
  type RelationshipUpdate,
  type SubjectReference,
} from '@passport/permissions'

/**
 * A name in a request, such as `type document` or `relation document#view`, and its field. SpiceDB's errors contain the
 * name but not the field; of several fields with a name, the first is reported.
 */
export type NamedField = [name: string, field: string]

/**
 * The codes of SpiceDB's messages, each with the name of the field, in which `$1` is the first group of the message; a
 * leading dot marks the field itself. The reason in the details of an error is not used: many errors have none, and some
 * transports drop it.
 */
const rules: [message: RegExp, code: ErrorCode, name?: string][] = [
  [/object definition `(.+?)` not found/, 'unknown-type', 'type $1'],
  [/relation\/permission `(.+?)` not found under definition `(.+?)`/, 'unknown-relation', 'relation $2#$1'],
  [/relation `(.+?)` does not have type information/, 'unknown-relation', '.filter.relation'],
  [/cannot perform (?:check|lookup \w+) on wildcard/, 'wildcard-subject', '.subject.id'],
  [/ObjectReference\.ObjectId: alphanumeric value/, 'malformed-id', 'resource *'],
  [/SubjectReference\.OptionalRelation: optionalrelation must be empty/, 'malformed-id', 'wildcard with relation'],
  [
    /subjects of type `(.+?)` are not allowed on relation `(.+?)` without one of the following caveats/,
    'caveat-required',
    'caveat of $1 on $2',
  ],
  [/subjects of type `(.+?)` are not allowed on relation `(.+?)`/, 'subject-not-allowed', 'subject $1 on $2'],
  [
    /cannot write a relationship to permission `(.+?)` under definition `(.+?)`/,
    'write-to-permission',
    'relation $2#$1',
  ],
  [/the caveat `(.+?)` was not found/, 'unknown-caveat', 'caveat $1'],
  [/could not CREATE relationship `(.+?)`, as it already existed/, 'already-exists', 'relationship $1'],
  [/found more than one update with relationship `(.+?)`/, 'duplicate-update', 'duplicate $1'],
  [/unable to satisfy write precondition/, 'precondition-failed', '.preconditions'],
  [/^too many updates/, 'too-many', '.updates'],
  [/^precondition count of/, 'too-many', '.preconditions'],
  [/^check count of/, 'too-many', '.requests'],
  [/^provided limit \d+ is greater/, 'too-many', '.limit'],
  [/request caveat context should have less than/, 'context-too-large', '.context'],
  [/provided relationship `(.+?)` exceeded maximum allowed caveat size/, 'context-too-large', 'relationship $1'],
  [/(?:could not convert context parameter|unknown parameter) `(.+?)`/, 'context-type', 'context $1'],
  [/evaluation error for caveat/, 'caveat-failed', '.context'],
  [/max depth exceeded/, 'depth-exceeded'],
  [/^(?:the cursor provided|error decoding cursor)/, 'cursor-mismatch', '.cursor'],
  [/revision has expired|stale revision|out of range/i, 'snapshot-gone', '.consistency.token'],
  [/zedtoken|revision/i, 'token-invalid', '.consistency.token'],
  [/at least one field must be set|cannot be set at the same time/, 'filter-invalid', '.filter'],
]

/** The gRPC codes of errors that the caller can fix. */
const callerErrors = new Map([
  [2, 'Unknown'],
  [3, 'InvalidArgument'],
  [6, 'AlreadyExists'],
  [8, 'ResourceExhausted'],
  [9, 'FailedPrecondition'],
  [11, 'OutOfRange'],
])

/** Returns SpiceDB's message for an error that the caller can fix, from gRPC or the library in this process. */
export function readMessage(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, details, message } = error as { code?: number; details?: string; message?: string }
  if (code !== undefined) return callerErrors.has(code) ? details : undefined
  const [, name = '', inProcessMessage] = /^rpc error: code = (\w+) desc = ([\s\S]*)$/.exec(message ?? '') ?? []
  return [...callerErrors.values()].includes(name) ? inProcessMessage : undefined
}

/** Runs the call, and converts an error of SpiceDB to one with its field. */
export async function withErrors<T>(fields: () => NamedField[], call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof PermissionError ? error : toError(error, fields())
  }
}

/** Converts an error of SpiceDB that the caller can fix; returns others unchanged. */
export function toError(error: unknown, fields: NamedField[]): unknown {
  const spiceDbMessage = readMessage(error)
  return spiceDbMessage === undefined ? error : (parseError(spiceDbMessage, fields) ?? error)
}

/** Parses the message of a SpiceDB error; returns undefined for an unknown one. */
export function parseError(spiceDbMessage: string, fields: NamedField[]): PermissionError | undefined {
  const [, malformed] = /^validation errors?:\s+(?:- )?([\w.[\]]+): /.exec(spiceDbMessage) ?? []
  if (malformed !== undefined) return toMalformedError(malformed, spiceDbMessage)
  for (const [message, code, template = ''] of rules) {
    const groups = message.exec(spiceDbMessage)
    if (groups === null) continue
    const reported = template.replace(/\$(\d)/g, (_, group) => groups[group] ?? '')
    const field = reported.startsWith('.') ? reported.slice(1) : fields.find(([name]) => name === reported)?.[1]
    const isPermission = code === 'unknown-relation' && field?.endsWith('permission')
    return new PermissionError(isPermission ? 'unknown-permission' : code, spiceDbMessage, field)
  }
  return undefined
}

const pathReplacements: [RegExp, string][] = [
  [/\[(\d+)\]/g, '.$1'],
  [/^items/, 'requests'],
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

/** Creates the error for a malformed field; the path `subject.object.object_id` becomes `subject.id`. */
function toMalformedError(path: string, spiceDbMessage: string): PermissionError {
  const field = pathReplacements.reduce((text, [from, to]) => text.replace(from, to), path)
  const part = field.split('.').at(-1)?.toLowerCase() ?? ''
  const code = part.endsWith('type')
    ? 'malformed-type'
    : /id(prefix)?$/.test(part)
      ? 'malformed-id'
      : 'malformed-relation'
  return new PermissionError(code, spiceDbMessage, field)
}

export const nameResource = ({ type, id }: ObjectReference, permission: string): NamedField[] => [
  [`type ${type}`, 'resource.type'],
  [`resource ${id}`, 'resource.id'],
  [`relation ${type}#${permission}`, 'permission'],
]

export const nameSubject = ({ type, id, relation }: SubjectReference): NamedField[] => [
  [`type ${type}`, 'subject.type'],
  [`relation ${type}#${relation}`, 'subject.relation'],
  ...(relation && id === '*' ? [['wildcard with relation', 'subject.id'] satisfies NamedField] : []),
]

export const nameContext = (context: object = {}): NamedField[] =>
  Object.keys(context).map((name) => [`context ${name}`, `context.${name}`])

/** Prefixes the fields with that of their parent. */
export const nameBelow = (parent: string, fields: NamedField[]): NamedField[] =>
  fields.map(([name, field]) => [name, `${parent}.${field}`])

export const nameFilter = ({ resourceType, relation, subjectType, subjectRelation }: RelationshipFilter) =>
  nameBelow('filter', [
    [`type ${resourceType}`, 'resourceType'],
    [`relation ${resourceType ?? ''}#${relation}`, 'relation'],
    [`type ${subjectType}`, 'subjectType'],
    [`relation ${subjectType ?? ''}#${subjectRelation}`, 'subjectRelation'],
  ])

export const namePreconditions = (preconditions: Precondition[]): NamedField[] =>
  preconditions.flatMap(({ filter }, index) => nameBelow(`preconditions.${index}`, nameFilter(filter)))

export function nameUpdates(updates: RelationshipUpdate[]): NamedField[] {
  const seen = new Set<string>()
  return updates.flatMap(({ relationship }, index) => {
    const { resource, relation, subject } = relationship
    const text = printRelationship({ resource, relation, subject })
    const field = `updates.${index}.relationship`
    const named: NamedField = [`${seen.has(text) ? 'duplicate' : 'relationship'} ${text}`, field]
    seen.add(text)
    return [...nameBelow(field, nameRelationship(relationship)), named]
  })
}

function nameRelationship({ resource, relation, subject, caveat, expiresAt }: Relationship): NamedField[] {
  const traits = [caveat?.name, expiresAt !== undefined && 'expiration'].filter(Boolean).join(' and ')
  const kind = subject.type + (subject.id === '*' ? ':*' : subject.relation ? `#${subject.relation}` : '')
  const allowed = `${kind}${traits && ` with ${traits}`} on ${resource.type}#${relation}`
  return [
    [`type ${resource.type}`, 'resource.type'],
    [`resource ${resource.id}`, 'resource.id'],
    ...nameSubject(subject),
    [`relation ${resource.type}#${relation}`, 'relation'],
    [`subject ${allowed}`, 'subject'],
    [`caveat of ${allowed}`, 'caveat'],
    [`caveat ${caveat?.name}`, 'caveat.name'],
    ...nameBelow('caveat', nameContext(caveat?.context)),
  ]
}
