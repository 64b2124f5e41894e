import type { Action } from '@passport/contract/audit'
import type { NewAssertion } from '@passport/contract/permissions'
import {
  type Author,
  printCheck,
  printRelationship,
  type RelationshipChange,
  type SchemaChange,
  type WriteOptions,
} from '@passport/permissions'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller, ClientCaller } from '../http/caller.ts'
import { isClient } from '../http/identify.ts'
import type { Visit } from '../http/visit.ts'

/** The actor of a change, a user or a client acting on its own behalf, and the origin of the request. */
export interface AuditContext {
  caller: Caller | ClientCaller
  visit: Visit
}

const toAuthor = ({ caller }: AuditContext): Author =>
  isClient(caller) ? { kind: 'client', id: caller.clientId } : { kind: 'user', id: caller.id }

type Sides = Pick<audit.AuditEvent, 'before' | 'after'>

/**
 * Records an event about the permissions, or about the assertion with `id`. A client's id is prefixed with `client:`.
 */
export async function recordEvent(
  sql: Sql,
  context: AuditContext,
  { id, ...event }: Sides & { action: Action; id?: string },
): Promise<void> {
  const { kind, id: authorId } = toAuthor(context)
  const actorId = kind === 'client' ? `client:${authorId}` : authorId
  await audit.record(sql, { actorId, visit: context.visit, target: { kind: 'permissions', id: id ?? null }, ...event })
}

interface ImportChange extends RelationshipChange {
  schema?: SchemaChange
  assertions?: { before: NewAssertion[]; after: NewAssertion[] }
}

/**
 * Returns options for writes that record the change in the history and in the audit log: within the write's transaction
 * if the engine has one.
 */
export function auditOptions(sql: Sql, context: AuditContext) {
  const withRecord = <Change>(
    action: Action,
    formatSides: (change: Change) => Sides | undefined,
  ): Required<WriteOptions<Change>> => ({
    by: toAuthor(context),
    record: async (change, within) => {
      const sides = formatSides(change)
      if (sides) await recordEvent((within ?? sql) as Sql, context, { action, ...sides })
    },
  })
  return {
    relationships: withRecord('permissions.relationships-changed', (change: RelationshipChange) =>
      change.removed + change.written === 0 ? undefined : formatRelationships(change),
    ),
    schema: withRecord('permissions.schema-changed', ({ before, after }: SchemaChange) =>
      before === after ? undefined : { before: { schema: before }, after: { schema: after } },
    ),
    content: withRecord('permissions.imported', formatImport),
  }
}

/** Formats the listed relationships. The counts also cover those beyond the list; zero counts are omitted. */
function formatRelationships({ before, after, removed, written }: RelationshipChange) {
  return {
    before: { relationships: before.map(printRelationship), ...(removed > 0 && { removed }) },
    after: { relationships: after.map(printRelationship), ...(written > 0 && { written }) },
  }
}

function formatImport({ schema, assertions, ...change }: ImportChange): Sides {
  const relationships = formatRelationships(change)
  const formatSide = (side: 'before' | 'after') => ({
    ...relationships[side],
    ...(side === 'after' && { written: change.written }),
    ...(schema && { schema: schema[side] }),
    ...(assertions && { assertions: assertions[side].map(printAssertion) }),
  })
  return { before: formatSide('before'), after: formatSide('after') }
}

/** Formats an assertion for the audit log as in a validation file: `assertTrue document:roadmap#view@user:ada`. */
export const printAssertion = (assertion: NewAssertion): string =>
  assertion.kind === 'validation'
    ? `${assertion.resource.type}:${assertion.resource.id}#${assertion.permission} of ${assertion.subjects.join(', ')}`
    : `${assertion.kind} ${printCheck(assertion.question)}`
