import type { v1 } from '@authzed/authzed-node'
import {
  type BulkAnswer,
  type CheckQuestion,
  diffSchemas,
  type PermissionEngine,
  PermissionFault,
  reflectSchema,
} from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { connect, readSchemaText, type SpiceDbAddress, type SpiceDbClients } from './clients.ts'
import { expandCalls } from './expand.ts'
import { collectFieldPaths, type FieldPaths, parseFault, readMessage, withFaults } from './faults.ts'
import { lookupResources, lookupSubjects } from './lookups.ts'
import { toConsistency, toContext, toObject, toSubject } from './messages.ts'
import { relationshipCalls } from './relationships.ts'
import { fromPermissionship, fromTrace, readMissing } from './trace.ts'

/**
 * The engine over SpiceDB. Load this file with `import()` on demand, because its client is an optional dependency.
 * docs/guide/permissions-on-spicedb.md describes the differences in its answers.
 */
export function createSpiceDbEngine(options: SpiceDbAddress | SpiceDbClients): PermissionEngine {
  const clients = 'endpoint' in options ? connect(options) : options
  return {
    kind: 'spicedb',
    version: 'SpiceDB',
    ...schemaCalls(clients),
    ...checkCalls(clients),
    ...lookupCalls(clients),
    ...expandCalls(clients),
    ...relationshipCalls(clients),
    // SpiceDB reports neither its lag nor the number of relationships per type.
    status: async () => ({ revision: (await readSchemaText(clients.schema)).readAt, lag: null, counts: null }),
    close: async () => clients.close(),
  }
}

type SchemaCalls = Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'>

function schemaCalls({ schema }: SpiceDbClients): SchemaCalls {
  const readSchema = () => readSchemaText(schema)
  return {
    readSchema,
    writeSchema: async (text, { record } = {}) => {
      const before = record ? (await readSchema()).text : ''
      const response = await schema.promises.writeSchema({ schema: text }).catch((error) => {
        throw schemaFault(error)
      })
      await record?.({ before, after: text })
      return { writtenAt: response.writtenAt?.token ?? '' }
    },
    // Uses our own implementation: SpiceDB's returns neither expressions nor the permissions that a change affects.
    reflectSchema: async () => reflectSchema(compileSchema((await readSchema()).text)),
    diffSchema: async (text) => diffSchemas(compileSchema((await readSchema()).text), compileSchema(text)),
  }
}

function schemaFault(error: unknown): unknown {
  const spiceDbMessage = readMessage(error)
  if (spiceDbMessage === undefined) return error
  const isInUse = /^cannot (?:delete|remove|change)/.test(spiceDbMessage)
  return new PermissionFault(isInUse ? 'schema-in-use' : 'schema-invalid', spiceDbMessage, 'schema')
}

function checkCalls({ permissions }: SpiceDbClients): Pick<PermissionEngine, 'check' | 'checkBulk'> {
  return {
    check: async (question, options) => {
      const response = await withFaults(
        () => collectFieldPaths(question),
        () =>
          permissions.promises.checkPermission({
            ...toCheck(question),
            consistency: toConsistency(options?.consistency),
            withTracing: options?.withTrace ?? false,
          }),
      )
      return {
        permissionship: fromPermissionship(response.permissionship),
        missing: readMissing(response.partialCaveatInfo),
        checkedAt: response.checkedAt?.token ?? '',
        ...(response.debugTrace?.check && { trace: fromTrace(response.debugTrace.check) }),
      }
    },
    checkBulk: async (questions, options) => {
      const response = await withFaults(
        () => collectQuestionPaths(questions),
        () =>
          permissions.promises.checkBulkPermissions({
            items: questions.map(toCheck),
            consistency: toConsistency(options?.consistency),
            withTracing: false,
          }),
      )
      const answers = response.pairs.map((pair, index) => fromPair(pair, questions[index]))
      return { answers, checkedAt: response.checkedAt?.token ?? '' }
    },
  }
}

function toCheck({ resource, permission, subject, context }: CheckQuestion): v1.CheckBulkPermissionsRequestItem {
  return { resource: toObject(resource), permission, subject: toSubject(subject), ...toContext(context) }
}

function collectQuestionPaths(questions: CheckQuestion[]): FieldPaths {
  const fieldPaths: FieldPaths = new Map()
  for (const [index, question] of questions.entries()) collectFieldPaths(question, `questions.${index}.`, fieldPaths)
  return fieldPaths
}

function fromPair({ response }: v1.CheckBulkPermissionsPair, question: CheckQuestion | undefined): BulkAnswer {
  if (response.oneofKind === 'item') {
    const { permissionship, partialCaveatInfo } = response.item
    return { permissionship: fromPermissionship(permissionship), missing: readMissing(partialCaveatInfo) }
  }
  const message = response.oneofKind === 'error' ? response.error.message : 'SpiceDB did not respond.'
  const fault = parseFault(message, question ? collectFieldPaths(question) : new Map())
  if (fault === undefined) throw new Error(message)
  return { fault: { code: fault.code, message, ...(fault.field !== undefined && { field: fault.field }) } }
}

function lookupCalls({
  permissions,
  schema,
}: SpiceDbClients): Pick<PermissionEngine, 'lookupResources' | 'lookupSubjects'> {
  return {
    lookupResources: (question, options) => {
      const { resourceType, permission, subject, context } = question
      return withFaults(
        () =>
          collectFieldPaths({
            resource: { type: resourceType },
            permission,
            subject,
            fields: { resource: 'resourceType' },
            ...(context && { context }),
          }),
        async () => {
          const page = await lookupResources(permissions, question, options?.consistency)
          if (page.lookedUpAt !== '') return page
          const { readAt: token } = await readSchemaText(schema)
          const retried = await lookupResources(permissions, question, { kind: 'atExactSnapshot', token })
          return { ...retried, lookedUpAt: token }
        },
      )
    },
    lookupSubjects: (question, options) => {
      const { resource, permission, subjectType, subjectRelation, context } = question
      return withFaults(
        () =>
          collectFieldPaths({
            resource,
            permission,
            subject: { type: subjectType, id: '', ...(subjectRelation && { relation: subjectRelation }) },
            fields: { subject: 'subjectType', subjectRelation: 'subjectRelation' },
            ...(context && { context }),
          }),
        async () => {
          const page = await lookupSubjects(permissions, question, options?.consistency)
          if (page.lookedUpAt !== '') return page
          const { readAt: token } = await readSchemaText(schema)
          const retried = await lookupSubjects(permissions, question, { kind: 'atExactSnapshot', token })
          return { ...retried, lookedUpAt: token }
        },
      )
    },
  }
}
