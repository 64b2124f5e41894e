import type { v1 } from '@authzed/authzed-node'
import { compileSchema } from '@passport/permissions/compile'
import { diffSchemas } from '@passport/permissions/diff'
import type { BulkAnswer, CheckQuestion, PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { reflectSchema } from '@passport/permissions/reflect'
import { connect, readSchemaText, type SpiceDbAddress, type SpiceDbClients } from './clients.ts'
import { expandCalls } from './expand.ts'
import { ask, faultOf, type Places, placesOf, readRefusal } from './faults.ts'
import { lookupResources, lookupSubjects } from './lookups.ts'
import { toConsistency, toContext, toObject, toSubject } from './messages.ts'
import { relationshipCalls } from './relationships.ts'
import { fromPermissionship, fromTrace, missingOf } from './trace.ts'

/**
 * The engine over a SpiceDB. Import this file with `import()` where it is chosen, since its client is an optional
 * dependency that others should not load. How its answers differ is told in docs/guide/permissions-on-spicedb.md.
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
    // How far it has come, and what there is of which type, SpiceDB tells nobody.
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
      const answer = await schema.promises.writeSchema({ schema: text }).catch((error) => {
        throw schemaFault(error)
      })
      await record?.({ before, after: text })
      return { writtenAt: answer.writtenAt?.token ?? '' }
    },
    // Ours rather than SpiceDB's, which tell neither the expressions nor what a change affects.
    reflectSchema: async () => reflectSchema(compileSchema((await readSchema()).text)),
    diffSchema: async (text) => diffSchemas(compileSchema((await readSchema()).text), compileSchema(text)),
  }
}

function schemaFault(error: unknown): unknown {
  const refusal = readRefusal(error)
  if (refusal === undefined) return error
  const isInUse = /^cannot (?:delete|remove|change)/.test(refusal)
  return new PermissionFault(isInUse ? 'schema-in-use' : 'schema-invalid', refusal, 'schema')
}

function checkCalls({ permissions }: SpiceDbClients): Pick<PermissionEngine, 'check' | 'checkBulk'> {
  return {
    check: async (question, options) => {
      const answer = await ask(
        () => placesOf(question),
        () =>
          permissions.promises.checkPermission({
            ...toCheck(question),
            consistency: toConsistency(options?.consistency),
            withTracing: options?.withTrace ?? false,
          }),
      )
      return {
        permissionship: fromPermissionship(answer.permissionship),
        missing: missingOf(answer.partialCaveatInfo),
        checkedAt: answer.checkedAt?.token ?? '',
        ...(answer.debugTrace?.check && { trace: fromTrace(answer.debugTrace.check) }),
      }
    },
    checkBulk: async (questions, options) => {
      const answer = await ask(
        () => placesOfQuestions(questions),
        () =>
          permissions.promises.checkBulkPermissions({
            items: questions.map(toCheck),
            consistency: toConsistency(options?.consistency),
            withTracing: false,
          }),
      )
      const answers = answer.pairs.map((pair, index) => fromPair(pair, questions[index]))
      return { answers, checkedAt: answer.checkedAt?.token ?? '' }
    },
  }
}

function toCheck({ resource, permission, subject, context }: CheckQuestion): v1.CheckBulkPermissionsRequestItem {
  return { resource: toObject(resource), permission, subject: toSubject(subject), ...toContext(context) }
}

function placesOfQuestions(questions: CheckQuestion[]): Places {
  const places: Places = new Map()
  for (const [index, question] of questions.entries()) placesOf(question, `questions.${index}.`, places)
  return places
}

function fromPair({ response }: v1.CheckBulkPermissionsPair, question: CheckQuestion | undefined): BulkAnswer {
  if (response.oneofKind === 'item') {
    const { permissionship, partialCaveatInfo } = response.item
    return { permissionship: fromPermissionship(permissionship), missing: missingOf(partialCaveatInfo) }
  }
  const message = response.oneofKind === 'error' ? response.error.message : 'SpiceDB gave no answer.'
  const fault = faultOf(message, question ? placesOf(question) : new Map())
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
      return ask(
        () =>
          placesOf({
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
          const again = await lookupResources(permissions, question, { kind: 'atExactSnapshot', token })
          return { ...again, lookedUpAt: token }
        },
      )
    },
    lookupSubjects: (question, options) => {
      const { resource, permission, subjectType, subjectRelation, context } = question
      return ask(
        () =>
          placesOf({
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
          const again = await lookupSubjects(permissions, question, { kind: 'atExactSnapshot', token })
          return { ...again, lookedUpAt: token }
        },
      )
    },
  }
}
