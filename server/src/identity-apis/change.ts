import { isDeepStrictEqual } from 'node:util'
import {
  type ApiFields,
  builtInApiName,
  maxApiScopes,
  type ScopeImport,
  toApiFields,
} from '@passport/contract/identity-apis'
import { v7 as uuid } from 'uuid'
import * as consents from '../accounts/consent-store.ts'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import * as clients from '../clients/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import * as personalTokens from '../personal-tokens/store.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { runInThread } from '../worker-thread.ts'
import type { DocumentedScope, ParsedScopes } from './import-scopes.ts'
import * as problems from './problems.ts'
import { registerBuiltInApi } from './registered.ts'
import { scopeNamesOf } from './scopes.ts'
import * as store from './store.ts'

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
}

/**
 * Creates an API; returns its id. Throws 409 `identity-api-name-taken`, `scope-taken` and `audience-taken`, and 400 for
 * unknown clients.
 */
export function create(sql: Sql, fields: ApiFields, context: ChangeContext): Promise<string> {
  return transaction(sql, async (sql) => {
    await store.lockChanges(sql)
    await recheckCaller(sql, context.caller)
    const id = uuid()
    await requireFree(sql, id, fields)
    await requireClients(sql, fields)
    await store.add(sql, id, fields)
    await record(sql, 'identity-api.created', id, context, { after: toAudited(fields) })
    return id
  })
}

/** Replaces the settings and scopes of an API. Throws like `create`, and 404, 409 `built-in` and `scope-in-use`, 412. */
export function replace(sql: Sql, id: string, fields: ApiFields, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => writeFields(sql, await lock(sql, id, context), fields, context))
}

/**
 * Changes what an administrator edits of the built-in API. One that no server has registered yet is created; the server
 * sets its audience when it starts.
 */
export function replaceBuiltIn(
  sql: Sql,
  fields: Pick<ApiFields, 'description' | 'tokenLifetimeSec'>,
  context: VersionedContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    if (!(await store.findByName(sql, builtInApiName))) await registerBuiltInApi(sql, 'urn:passport:set-at-start')
    const row = await lock(sql, await findId(sql, builtInApiName), context)
    await writeFields(sql, row, { ...toApiFields(row), ...fields }, context)
  })
}

async function writeFields(sql: Sql, row: store.ApiRow, fields: ApiFields, context: ChangeContext) {
  const [before, after] = [toApiFields(row), toApiFields(fields)]
  if (isDeepStrictEqual(before, after)) return
  if (row.builtIn) {
    const { description, tokenLifetimeSec } = after
    if (!isDeepStrictEqual({ ...before, description, tokenLifetimeSec }, after)) throw problems.builtIn()
  }
  await requireFree(sql, row.id, after)
  await requireClients(sql, after)
  const remaining = new Set(scopeNamesOf(after))
  const removed = scopeNamesOf(before).filter((scope) => !remaining.has(scope))
  if (removed.length > 0) {
    await requireUnused(sql, removed)
    await personalTokens.removeScopes(sql, removed)
  }
  await store.replace(sql, row.id, after)
  await record(sql, 'identity-api.changed', row.id, context, { before: toAudited(before), after: toAudited(after) })
}

/** Moves an API to the trash. Throws 404, 409 `built-in`, 409 `scope-in-use` if a client has one of its scopes, and 412. */
export function remove(sql: Sql, id: string, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, id, context)
    if (row.builtIn) throw problems.builtIn()
    await requireNoClient(sql, scopeNamesOf(row))
    await store.remove(sql, id)
    await record(sql, 'identity-api.deleted', id, context, { before: toAudited(row) })
  })
}

/** Undoes `remove`. Names and audience are still free, because an API keeps them until it is purged. Throws 404 and 412. */
export function restore(sql: Sql, id: string, { caller, preconditions, ...context }: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    await store.lockChanges(sql)
    await recheckCaller(sql, caller)
    const row = await store.find(sql, id)
    if (row?.deletedAt == null) throw problems.apiNotFound()
    preconditions.check({ etag: String(row.version) })
    await store.restore(sql, id)
    await record(sql, 'identity-api.restored', id, { caller, ...context }, { after: toAudited(row) })
  })
}

/** Restores the API with a name if it is in the trash; returns false if there is none. */
export async function restoreIfDeleted(sql: Sql, name: string, context: VersionedContext): Promise<boolean> {
  const row = await store.findByName(sql, name)
  if (row?.deletedAt == null) return false
  await restore(sql, row.id, context)
  return true
}

/** Returns the id of the API with a name. Throws 404. */
export async function findId(sql: Sql, name: string): Promise<string> {
  const row = await store.findByName(sql, name)
  if (!row) throw problems.apiNotFound()
  return row.id
}

/**
 * Adds the scopes of an OpenAPI document to an API, and replaces the descriptions of those that it has; `dryRun` only
 * returns the changes. Throws 400 `openapi-invalid` and `openapi-too-large`, 409 `built-in` and `too-many-scopes`, and 412.
 */
export async function importScopes(
  sql: Sql,
  id: string,
  { document, dryRun }: { document: string; dryRun: boolean },
  context: VersionedContext,
): Promise<ScopeImport> {
  const scopes = await parseDocument(document)
  // Loads a YAML parser, which the server needs for nothing else at its start.
  const { compareScopes } = await import('./import-scopes.ts')
  return transaction(sql, async (sql) => {
    const row = await lock(sql, id, context)
    if (row.builtIn) throw problems.builtIn()
    const taken = (await store.listNames(sql)).filter(({ apiId }) => apiId !== id).map(({ name }) => name)
    const result = compareScopes(row, scopes, new Set(taken))
    const newDescriptions = new Map(result.changed.map(({ name, to }) => [name, to]))
    const kept = row.scopes.map((scope) => ({
      ...scope,
      description: newDescriptions.get(scope.name) ?? scope.description,
    }))
    if (kept.length + result.added.length > maxApiScopes) throw problems.tooManyScopes()
    if (!dryRun) await writeFields(sql, row, { ...toApiFields(row), scopes: [...kept, ...result.added] }, context)
    return result
  })
}

/** Reads the scopes of a document in a thread of its own: one of 4 MiB takes seconds. */
async function parseDocument(document: string): Promise<DocumentedScope[]> {
  const options = { data: document, timeoutMs: 15_000, limits: { maxOldGenerationSizeMb: 512, stackSizeMb: 4 } }
  const parsed = await runInThread<ParsedScopes>(new URL('./scopes-worker.ts', import.meta.url), options)
  if (parsed && 'scopes' in parsed) return parsed.scopes
  if (parsed?.refusal === 'openapi-invalid') throw problems.openApiInvalid()
  throw parsed?.refusal === 'too-many-scopes' ? problems.tooManyScopes() : problems.openApiTooLarge()
}

/** Locks all APIs, because names are unique among them, and returns one. Throws 404 and 412. */
async function lock(sql: Sql, id: string, { caller, preconditions }: VersionedContext): Promise<store.ApiRow> {
  await store.lockChanges(sql)
  await recheckCaller(sql, caller)
  const row = await store.find(sql, id)
  if (!row || row.deletedAt !== null) throw problems.apiNotFound()
  preconditions.check({ etag: String(row.version) })
  return row
}

async function requireFree(sql: Sql, id: string, { name, audience, scopes }: ApiFields) {
  const others = (await store.listNames(sql)).filter(({ apiId }) => apiId !== id)
  const takenNames = new Set(others.map((other) => other.name))
  if (takenNames.has(name)) throw problems.apiNameTaken()
  const taken = scopes.flatMap((scope, index) => (takenNames.has(scope.name) ? [{ index, name: scope.name }] : []))
  if (taken.length > 0) throw problems.scopeTaken(taken)
  const owner = await store.findByAudience(sql, audience)
  if (owner !== undefined && owner !== id) throw problems.audienceTaken()
}

async function requireClients(sql: Sql, { allowedClients, resourceServers }: ApiFields) {
  const kinds = await clients.listKinds(sql, [...(allowedClients ?? []), ...resourceServers])
  const secretById = new Map(kinds.map(({ clientId, isConfidential }) => [clientId, isConfidential]))
  const errors = [
    ...(allowedClients ?? []).map((id, index) => ({ id, field: `allowedClients[${index}]`, needsSecret: false })),
    ...resourceServers.map((id, index) => ({ id, field: `resourceServers[${index}]`, needsSecret: true })),
  ].flatMap(({ id, field, needsSecret }) => {
    const hasSecret = secretById.get(id)
    if (hasSecret === undefined) return [{ field, code: 'not-found', message: `The application ${id} does not exist.` }]
    return needsSecret && !hasSecret
      ? [
          {
            field,
            code: 'client-public',
            message: `The application ${id} has no secret, so it cannot introspect tokens.`,
          },
        ]
      : []
  })
  if (errors.length > 0) throw problems.unknownClients(errors)
}

async function requireUnused(sql: Sql, scopes: string[]) {
  await requireNoClient(sql, scopes)
  if (await consents.hasScopes(sql, scopes)) throw problems.scopeInUse(scopes, undefined)
}

async function requireNoClient(sql: Sql, scopes: string[]) {
  const client = await clients.findWithApiScope(sql, scopes)
  if (client) throw problems.scopeInUse(scopes, client.name)
}

/** Returns the fields for the audit trail, with the scopes by name. */
const toAudited = (fields: ApiFields): audit.JsonObject => ({
  ...toApiFields(fields),
  scopes: Object.fromEntries(
    fields.scopes.map(({ name, description, emphasize }) => [
      name,
      emphasize ? `${description} (emphasized)` : description,
    ]),
  ),
})

const record = (
  sql: Sql,
  action: 'identity-api.created' | 'identity-api.changed' | 'identity-api.deleted' | 'identity-api.restored',
  id: string,
  context: ChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'identity-api', id }, ...change })
