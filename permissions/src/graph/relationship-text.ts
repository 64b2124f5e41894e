import type { CheckRequest } from '../engine.ts'
import { PermissionError } from '../error.ts'
import { parseContext } from './context.ts'
import type { CaveatContext, Relationship, RelationshipCaveat, SubjectReference } from './relationship.ts'
import { checkRelationshipNames } from './validate.ts'

const shape =
  /^(?<type>[^:#@[\]]*):(?<id>[^:#@[\]]*)#(?<relation>[^:#@[\]]*)@(?<subjectType>[^:#@[\]]*):(?<subjectId>[^:#@[\]]*)(#(?<subjectRelation>[^:#@[\]]*))?(\[(?<caveat>[^:#@[\]]*)(:(?<context>\{.*\}))?\])?(\[expiration:(?<expiration>[^[\]]*)\])?$/s

/**
 * Parses a relationship in SpiceDB's text format, such as
 * `document:a#viewer@group:b#member[only_friday:{"day":"fri"}][expiration:2026-01-01T00:00:00Z]`. Throws
 * `malformed-relationship`, or for a malformed name `malformed-type`, `malformed-relation`, `malformed-id` or
 * `unknown-caveat`.
 */
export function parseRelationship(line: string): Relationship {
  const groups = shape.exec(line.trim())?.groups
  if (!groups) fail('A relationship must have the form `type:id#relation@type:id`.')
  const { type = '', id = '', relation = '', caveat, context, expiration } = groups
  const relationship: Relationship = {
    resource: { type, id },
    relation,
    subject: parseSubject(groups),
    ...(caveat === undefined ? {} : { caveat: parseCaveat(caveat, context) }),
    ...(expiration === undefined ? {} : { expiresAt: parseInstant(expiration) }),
  }
  checkRelationshipNames(relationship, 'relationship')
  return relationship
}

/** Formats a relationship as `parseRelationship` reads it. An expiration in text is printed unchanged. */
export function printRelationship({
  resource,
  relation,
  subject,
  caveat,
  expiresAt,
}: Relationship<number | string>): string {
  const subjectText = `${subject.type}:${subject.id}${subject.relation === undefined ? '' : `#${subject.relation}`}`
  const expiration = expiresAt === undefined ? '' : `[expiration:${printInstant(expiresAt)}]`
  return `${resource.type}:${resource.id}#${relation}@${subjectText}${caveat ? printCaveat(caveat) : ''}${expiration}`
}

/** Formats a check as an assertion line of a validation file: `document:payroll#view@user:dev with {"hour":10}`. */
export function printCheck({ resource, permission, subject, context }: CheckRequest): string {
  const line = printRelationship({ resource, relation: permission, subject })
  return context && Object.keys(context).length > 0 ? `${line} with ${JSON.stringify(context)}` : line
}

function parseSubject({ subjectType = '', subjectId = '', subjectRelation }: Record<string, string>): SubjectReference {
  const object = { type: subjectType, id: subjectId }
  return subjectRelation === undefined || subjectRelation === '...' ? object : { ...object, relation: subjectRelation }
}

function parseCaveat(name: string, context: string | undefined): RelationshipCaveat {
  const values = context === undefined ? {} : parseContextOrFail(context)
  return Object.keys(values).length === 0 ? { name } : { name, context: values }
}

function parseContextOrFail(json: string): CaveatContext {
  return parseContext(json) ?? fail('The context of the caveat must be a JSON object.')
}

function printCaveat({ name, context }: RelationshipCaveat): string {
  return context && Object.keys(context).length > 0 ? `[${name}:${JSON.stringify(context)}]` : `[${name}]`
}

/** Parses RFC 3339, truncated to milliseconds. Rejects dates that do not exist. */
function parseInstant(text: string): number {
  const parts = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|([+-])(\d\d):(\d\d))$/.exec(text)
  const [, day = '', time = '', sign, hours, minutes] = parts ?? []
  const local = Date.parse(`${day}${time}Z`)
  if (!parts || Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== day) {
    fail('The expiration must be an instant such as `2026-01-01T00:00:00Z`.')
  }
  const offsetMs = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? local + offsetMs : local - offsetMs
}

function printInstant(instant: number | string): string {
  if (typeof instant === 'string') return instant
  return new Date(instant).toISOString().replace(/\.?0*Z$/, 'Z')
}

function fail(message: string): never {
  throw new PermissionError('malformed-relationship', message, 'relationship')
}
