import { v1 } from '@authzed/authzed-node'
import { compileSchema } from '@passport/permissions/compile'
import { diffSchemas } from '@passport/permissions/diff'
import type { BulkAnswer, CheckQuestion, PermissionEngine, Token } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { reflectSchema } from '@passport/permissions/reflect'
import {
  faultOf,
  type Places,
  placesOf,
  placesOfFilter,
  placesOfWrite,
  readFault,
  readRefusal,
} from './spicedb-faults.ts'
import { lookupResources, lookupSubjects } from './spicedb-lookups.ts'
import {
  toConsistency,
  toContext,
  toFilter,
  toObject,
  toPrecondition,
  toSubject,
  toUpdate,
} from './spicedb-messages.ts'
import { readAllRelationships, readRelationships } from './spicedb-reads.ts'
import { fromPermissionship, fromTrace, missingOf } from './spicedb-trace.ts'
import { watchSpiceDb } from './spicedb-watch.ts'

/** Where SpiceDB is, as host and port, and its preshared key. */
export interface SpiceDbAddress {
  endpoint: string
  token: string
  /** Without TLS, also to other machines; the key then goes over the network as it is. */
  insecure?: boolean
}

/** Clients that are connected already; `watch` must not have a deadline. */
export interface SpiceDbClients {
  permissions: v1.ZedClientInterface
  schema: v1.ZedClientInterface
  watch: v1.ZedClientInterface
  close(): void
}

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
    ...relationshipCalls(clients),
    // How far it has come, and what there is of which type, SpiceDB tells nobody.
    status: async () => ({ revision: (await readSchemaText(clients.schema)).readAt, lag: null, counts: null }),
    close: async () => clients.close(),
  }
}

function connect({ endpoint, token, insecure }: SpiceDbAddress): SpiceDbClients {
  const security = insecure ? v1.ClientSecurity.INSECURE_PLAINTEXT_CREDENTIALS : v1.ClientSecurity.SECURE
  // The client puts a deadline of half a minute on every service but those that it connects at once: the watch.
  const watchService = 4
  const client = v1.NewClient(token, endpoint, security, watchService)
  return { permissions: client, schema: client, watch: client, close: () => client.close() }
}

type SchemaCalls = Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'>

function schemaCalls({ schema }: SpiceDbClients): SchemaCalls {
  const readSchema = () => readSchemaText(schema)
  return {
    readSchema,
    writeSchema: async (text) => {
      const answer = await schema.promises.writeSchema({ schema: text }).catch((error) => {
        throw schemaFault(error)
      })
      return { writtenAt: answer.writtenAt?.token ?? '' }
    },
    // Ours rather than SpiceDB's, which tell neither the expressions nor what a change affects.
    reflectSchema: async () => reflectSchema(compileSchema((await readSchema()).text)),
    diffSchema: async (text) => diffSchemas(compileSchema((await readSchema()).text), compileSchema(text)),
  }
}

/** An installation without a schema has an empty one, which SpiceDB calls not found. */
async function readSchemaText(schema: v1.ZedClientInterface): Promise<{ text: string; readAt: Token }> {
  try {
    const { schemaText, readAt } = await schema.promises.readSchema({})
    return { text: schemaText, readAt: readAt?.token ?? '' }
  } catch (error) {
    if (/no schema has been defined/i.test(String((error as Error).message))) return { text: '', readAt: '' }
    throw error
  }
}

function schemaFault(error: unknown): unknown {
  const refusal = readRefusal(error)
  if (refusal === undefined) return error
  const isInUse = /^cannot (?:delete|remove|change)/.test(refusal)
  return new PermissionFault(isInUse ? 'schema-in-use' : 'schema-invalid', refusal, 'schema')
}

/** Asks, and tells a refusal as a fault at its place in the request. */
async function ask<T>(places: () => Places, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof PermissionFault ? error : readFault(error, places())
  }
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

type RelationshipCalls = Pick<
  PermissionEngine,
  'readRelationships' | 'writeRelationships' | 'deleteRelationships' | 'watch'
>

function relationshipCalls({ permissions, schema, watch }: SpiceDbClients): RelationshipCalls {
  return {
    readRelationships: (filter, page, options) =>
      ask(
        () => placesOfFilter(filter),
        async () => {
          if (Object.values(filter).some((part) => part !== undefined && part !== '')) {
            const rows = await readRelationships(permissions, filter, page, options?.consistency)
            return { ...rows, readAt: rows.readAt || (await readSchemaText(schema)).readAt }
          }
          const { text, readAt } = await readSchemaText(schema)
          const types = [...text.matchAll(/^definition (\S+) \{/gm)].flatMap(([, type]) => type ?? [])
          const rows = await readAllRelationships(permissions, types, page, options?.consistency)
          return { ...rows, readAt: rows.readAt || readAt }
        },
      ),
    writeRelationships: async (updates, preconditions = []) => {
      const answer = await ask(
        () => placesOfWrite(updates, preconditions),
        () =>
          permissions.promises.writeRelationships({
            updates: updates.map(toUpdate),
            optionalPreconditions: preconditions.map(toPrecondition),
          }),
      )
      return { writtenAt: answer.writtenAt?.token ?? '' }
    },
    deleteRelationships: async (filter, { limit, preconditions = [] } = {}) => {
      const answer = await ask(
        () => placesOfFilter(filter),
        () =>
          permissions.promises.deleteRelationships({
            relationshipFilter: toFilter(filter),
            optionalPreconditions: preconditions.map(toPrecondition),
            optionalLimit: limit ?? 0,
            optionalAllowPartialDeletions: limit !== undefined,
          }),
      )
      const isComplete = answer.deletionProgress === v1.DeleteRelationshipsResponse_DeletionProgress.COMPLETE
      return { deletedAt: answer.deletedAt?.token ?? '', deleted: Number(answer.relationshipsDeletedCount), isComplete }
    },
    watch: (from, filter, signal) => watchSpiceDb(watch, from, filter, signal),
  }
}
