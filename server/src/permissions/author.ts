import type { NewAssertion } from '@passport/contract/permissions'
import type { Author, Recorder, RelationshipChange, SchemaChange } from '@passport/permissions/engine'
import { printQuestion, printRelationship } from '@passport/permissions/relationship-text'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller, ClientCaller } from '../http/caller.ts'
import { isClient } from '../http/identify.ts'
import type { Visit } from '../http/visit.ts'

/** Who asks for a change, a person or an application for itself, and from where. */
export interface Doing {
  caller: Caller | ClientCaller
  visit: Visit
}

const authorOf = ({ caller }: Doing): Author =>
  isClient(caller) ? { kind: 'client', id: caller.clientId } : { kind: 'user', id: caller.id }

/** Who acts, as the audit has it: a client under its id with `client:` before it. */
export const actorOf = (doing: Doing): audit.Actor => {
  const { kind, id } = authorOf(doing)
  return { actorId: kind === 'client' ? `client:${id}` : id, visit: doing.visit }
}

interface Imported extends RelationshipChange {
  schema?: SchemaChange
  assertions?: { before: NewAssertion[]; after: NewAssertion[] }
}

/** An assertion as the audit has it, as a validation file does: `assertTrue document:roadmap#view@user:ada`. */
export const lineOf = (assertion: NewAssertion): string =>
  assertion.kind === 'validation'
    ? `${assertion.resource.type}:${assertion.resource.id}#${assertion.permission} of ${assertion.subjects.join(', ')}`
    : `${assertion.kind} ${printQuestion(assertion.question)}`

const linesOf = (assertions: NewAssertion[]) => ({ assertions: assertions.map(lineOf) })

/** How a write is told to the history and to the audit, in its own transaction where it has one. */
export function audited(sql: Sql, doing: Doing) {
  const by = authorOf(doing)
  const target = { kind: 'permissions', id: null } as const
  const record = (within: unknown, event: Pick<audit.AuditEvent, 'action' | 'before' | 'after'>) =>
    audit.record((within ?? sql) as Sql, { ...actorOf(doing), target, ...event })
  return {
    relationships: {
      by,
      record: (async (change, within) => {
        if (change.removed + change.written === 0) return
        await record(within, { action: 'permissions.relationships-changed', ...sidesOf(change) })
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
        const sides = sidesOf(change)
        await record(within, {
          action: 'permissions.imported',
          before: {
            ...sides.before,
            ...(schema && { schema: schema.before }),
            ...(assertions && linesOf(assertions.before)),
          },
          after: {
            ...sides.after,
            written: change.written,
            ...(schema && { schema: schema.after }),
            ...(assertions && linesOf(assertions.after)),
          },
        })
      }) satisfies Recorder<Imported>,
    },
  }
}

/** Relationships by their lines; the counts are of all, also of those beyond the ones that are told. None is not told. */
function sidesOf({ before, after, removed, written }: RelationshipChange) {
  return {
    before: { relationships: before.map(printRelationship), ...(removed > 0 && { removed }) },
    after: { relationships: after.map(printRelationship), ...(written > 0 && { written }) },
  }
}
