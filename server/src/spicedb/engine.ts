import type { v1 } from '@authzed/authzed-node'
import {
  type BulkCheckItem,
  type CheckRequest,
  diffSchemas,
  type PermissionEngine,
  PermissionError,
  reflectSchema,
} from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { connect, readSchemaText, type SpiceDbAddress, type SpiceDbClients } from './clients.ts'
import {
  type NamedField,
  nameBelow,
  nameContext,
  nameResource,
  nameSubject,
  parseError,
  readMessage,
  withErrors,
} from './errors.ts'
import { lookupResources, lookupSubjects } from './lookups.ts'
import {
  fromPermissionship,
  fromTrace,
  fromTree,
  readMissing,
  toConsistency,
  toContext,
  toObject,
  toSubject,
} from './messages.ts'
import { createRelationshipMethods } from './relationships.ts'
import { watchSpiceDb } from './watch.ts'

/**
 * Creates an engine that calls SpiceDB. Load this file on demand with `import()`, because the client of SpiceDB is an
 * optional dependency. docs/guide/permissions-on-spicedb.md describes the differences in results.
 */
export function createSpiceDbEngine(options: SpiceDbAddress | SpiceDbClients): PermissionEngine {
  const clients = 'endpoint' in options ? connect(options) : options
  return {
    kind: 'spicedb',
    version: 'SpiceDB',
    ...createSchemaMethods(clients),
    ...createRequestMethods(clients),
    ...createRelationshipMethods(clients),
    watch: (from, filters, signal) => watchSpiceDb(clients, from, filters, signal),
    // SpiceDB reports neither its lag nor the number of relationships per type.
    status: async () => ({ revision: (await readSchemaText(clients)).readAt, lag: null, counts: null }),
    close: async () => clients.close(),
  }
}

type SchemaMethods = Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'>

function createSchemaMethods(clients: SpiceDbClients): SchemaMethods {
  const readSchema = () => readSchemaText(clients)
  return {
    readSchema,
    writeSchema: async (text, { record } = {}) => {
      const before = record ? (await readSchema()).text : ''
      const { writtenAt } = await clients.schema.promises.writeSchema({ schema: text }).catch((error) => {
        throw toSchemaError(error)
      })
      await record?.({ before, after: text })
      return { writtenAt: writtenAt?.token ?? '' }
    },
    // Computed here, because SpiceDB returns neither expressions nor the permissions that a change affects.
    reflectSchema: async () => reflectSchema(compileSchema((await readSchema()).text)),
    diffSchema: async (text) => diffSchemas(compileSchema((await readSchema()).text), compileSchema(text)),
  }
}

/** Converts an error of SpiceDB that the caller can fix; returns others unchanged. */
function toSchemaError(error: unknown): unknown {
  const spiceDbMessage = readMessage(error)
  if (spiceDbMessage === undefined) return error
  const isInUse = /^cannot (?:delete|remove|change)/.test(spiceDbMessage)
  return new PermissionError(isInUse ? 'schema-in-use' : 'schema-invalid', spiceDbMessage, 'schema')
}

type RequestMethods = Pick<PermissionEngine, 'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects' | 'expand'>

function createRequestMethods(clients: SpiceDbClients): RequestMethods {
  const calls = clients.permissions.promises
  return {
    check: async (check, { consistency, withTrace: withTracing = false } = {}) => {
      const request = { ...toCheck(check), consistency: toConsistency(consistency), withTracing }
      const response = await withErrors(
        () => nameRequest(check),
        () => calls.checkPermission(request),
      )
      return {
        permissionship: fromPermissionship(response.permissionship),
        missing: readMissing(response.partialCaveatInfo),
        checkedAt: response.checkedAt?.token ?? '',
        ...(response.debugTrace?.check && { trace: fromTrace(response.debugTrace.check) }),
      }
    },
    checkBulk: async (requests, { consistency } = {}) => {
      const request = { items: requests.map(toCheck), consistency: toConsistency(consistency), withTracing: false }
      const response = await withErrors(
        () => requests.flatMap((check, index) => nameBelow(`requests.${index}`, nameRequest(check))),
        () => calls.checkBulkPermissions(request),
      )
      const results = response.pairs.map((pair, index) => fromPair(pair, requests[index]))
      return { results, checkedAt: response.checkedAt?.token ?? '' }
    },
    lookupResources: (request, { consistency } = {}) => {
      const { resourceType, permission, subject, context } = request
      return withErrors(
        () => [
          [`type ${resourceType}`, 'resourceType'],
          [`relation ${resourceType}#${permission}`, 'permission'],
          ...nameSubject(subject),
          ...nameContext(context),
        ],
        () => lookupResources(clients, request, consistency),
      )
    },
    lookupSubjects: (request, { consistency } = {}) => {
      const { resource, permission, subjectType, subjectRelation, context } = request
      return withErrors(
        () => [
          ...nameResource(resource, permission),
          [`type ${subjectType}`, 'subjectType'],
          [`relation ${subjectType}#${subjectRelation}`, 'subjectRelation'],
          ...nameContext(context),
        ],
        () => lookupSubjects(clients, request, consistency),
      )
    },
    expand: async ({ resource, permission }, { consistency } = {}) => {
      const request = { consistency: toConsistency(consistency), resource: toObject(resource), permission }
      const response = await withErrors(
        () => nameResource(resource, permission),
        () => calls.expandPermissionTree(request),
      )
      if (!response.treeRoot) throw new Error('SpiceDB returned no tree.')
      return { tree: fromTree(response.treeRoot), expandedAt: response.expandedAt?.token ?? '' }
    },
  }
}

function toCheck({ resource, permission, subject, context }: CheckRequest): v1.CheckBulkPermissionsRequestItem {
  return { resource: toObject(resource), permission, subject: toSubject(subject), ...toContext(context) }
}

const nameRequest = ({ resource, permission, subject, context }: CheckRequest): NamedField[] => [
  ...nameResource(resource, permission),
  ...nameSubject(subject),
  ...nameContext(context),
]

function fromPair({ response }: v1.CheckBulkPermissionsPair, request: CheckRequest | undefined): BulkCheckItem {
  if (response.oneofKind === 'item') {
    const { permissionship, partialCaveatInfo } = response.item
    return { permissionship: fromPermissionship(permissionship), missing: readMissing(partialCaveatInfo) }
  }
  const message = response.oneofKind === 'error' ? response.error.message : 'SpiceDB did not respond.'
  const error = parseError(message, request ? nameRequest(request) : [])
  if (error === undefined) throw new Error(message)
  return { error: { code: error.code, message, field: error.field } }
}
