import type { NewAssertion } from '@passport/contract/permissions'
import {
  type Author,
  printCheck,
  printRelationship,
  type Recorder,
  type RelationshipChange,
  type SchemaChange,
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

/** Records an event of the permissions, or of the assertion with an id. The id of a client has the prefix `client:`. */
export async function recordEvent(
  sql: Sql,
  context: AuditContext,
  { id, ...event }: Pick<audit.AuditEvent, 'action' | 'before' | 'after'> & { id?: string },
): Promise<void> {
  const { kind, id: authorId } = toAuthor(context)
  const actorId = kind === 'client' ? `client:${authorId}` : authorId
  await audit.record(sql, { actorId, visit: context.visit, target: { kind: 'permissions', id: id ?? null }, ...event })
}

interface ImportChange extends RelationshipChange {
  schema?: SchemaChange
  assertions?: { before: NewAssertion[]; after: NewAssertion[] }
}

/** Formats an assertion for the audit as in a validation file: `assertTrue document:roadmap#view@user:ada`. */
export const printAssertion = (assertion: NewAssertion): string =>
  assertion.kind === 'validation'
    ? `${assertion.resource.type}:${assertion.resource.id}#${assertion.permission} of ${assertion.subjects.join(', ')}`
    : `${assertion.kind} ${printCheck(assertion.question)}`

const printAssertions = (assertions: NewAssertion[]) => ({ assertions: assertions.map(printAssertion) })

/**
 * Returns write options that record the change in the history and the audit, within the write's transaction if it has
 * one.
 */
export function auditOptions(sql: Sql, context: AuditContext) {
  const by = toAuthor(context)
  const record = (within: unknown, event: Parameters<typeof recordEvent>[2]) =>
    recordEvent((within ?? sql) as Sql, context, event)
  return {
    relationships: {
      by,
      record: (async (change, within) => {
        if (change.removed + change.written === 0) return
        await record(within, { action: 'permissions.relationships-changed', ...formatSides(change) })
      }) satisfies Recorder<RelationshipChange>,
    },
    schema: {
      by,
      record: (async ({ before, after }, within) => {
        if (before === after) return
        const sides = { before: { schema: before }, after: { schema: after } }
        await record(within, { action: 'permissions.schema-changed', ...sides })
      }) satisfies Recorder<SchemaChange>,
    },
    content: {
      by,
      record: (async ({ schema, assertions, ...change }, within) => {
        const sides = formatSides(change)
        await record(within, {
          action: 'permissions.imported',
          before: {
            ...sides.before,
            ...(schema && { schema: schema.before }),
            ...(assertions && printAssertions(assertions.before)),
          },
          after: {
            ...sides.after,
            written: change.written,
            ...(schema && { schema: schema.after }),
            ...(assertions && printAssertions(assertions.after)),
          },
        })
      }) satisfies Recorder<ImportChange>,
    },
  }
}

/**
 * Formats the relationships of a change. The counts also cover those beyond the listed ones; zero counts are omitted.
 */
function formatSides({ before, after, removed, written }: RelationshipChange) {
  return {
    before: { relationships: before.map(printRelationship), ...(removed > 0 && { removed }) },
    after: { relationships: after.map(printRelationship), ...(written > 0 && { written }) },
  }
}
