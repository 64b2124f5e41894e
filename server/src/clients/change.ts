import { isDeepStrictEqual } from 'node:util'
import {
  type ClientApi,
  type ClientFields,
  hasFormOfUserId,
  maxClientSecrets,
  type NewClient,
  toClientFields,
} from '@passport/contract/clients'
import { builtInApiName } from '@passport/contract/identity-apis'
import { v7 as uuid } from 'uuid'
import * as consents from '../accounts/consent-store.ts'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { scopeNamesOf } from '../identity-apis/scopes.ts'
import * as identityApis from '../identity-apis/store.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { addWithFreeSlug, deriveSlug } from '../slug.ts'
import { generateToken, hashToken } from '../vault.ts'
import { endClient } from './end-client.ts'
import { hasDeviceFlow, toGrantTypes } from './grant-types.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
}

const maxDerivedId = 50

/**
 * Creates a client. Returns its id and, for a confidential one, its first secret. Without `clientId`, derives a unique
 * id from the name. Throws 409 `client-id-taken`.
 */
export function create(
  sql: Sql,
  client: NewClient,
  context: ChangeContext,
): Promise<{ clientId: string; secret: string | null }> {
  return transaction(sql, async (sql) => {
    const clientId = await createWithoutSecret(sql, client, context)
    const secret = client.confidential ? await addSecret(sql, clientId) : undefined
    return { clientId, secret: secret?.secret ?? null }
  })
}

/** Creates a client, which cannot authenticate until it gets a secret if it is confidential. Throws like `create`. */
export function createWithoutSecret(
  sql: Sql,
  { clientId, confidential, ...fields }: NewClient,
  context: ChangeContext,
): Promise<string> {
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    await requireApiScopes(sql, fields.apis)
    const id = await addWithId(sql, clientId, confidential, fields)
    await record(sql, 'client.created', id, context, { after: { ...toAudited(fields), confidential } })
    return id
  })
}

async function addWithId(sql: Sql, clientId: string | undefined, isConfidential: boolean, fields: ClientFields) {
  const add = async (clientId: string) =>
    (await store.add(sql, { clientId, isConfidential }, toColumns(fields))) ? clientId : undefined
  const id = await (clientId === undefined ? addWithFreeSlug(deriveClientId(fields.clientName), add) : add(clientId))
  if (id === undefined) throw problems.clientIdTaken()
  return id
}

/** Derives a client id from a name: `Box Office` becomes `box-office`. It never has the form of a user id. */
export function deriveClientId(name: string): string {
  const id = deriveSlug(name, 'application', maxDerivedId)
  return hasFormOfUserId(id) ? `application-${id}` : id
}

/** Replaces the settings of a client. Throws 404, 409 `client-read-only` and `client-public`, and 412. */
export function replace(sql: Sql, clientId: string, fields: ClientFields, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lockEditable(sql, clientId, context)
    const isForConfidential = fields.scopes.length + fields.apis.length > 0 || fields.pkce === 'optional'
    if (!row.confidential && isForConfidential) throw problems.clientPublic()
    const before = toFields(row)
    if (isDeepStrictEqual(before, toClientFields(fields))) return
    await requireApiScopes(sql, fields.apis)
    await store.replace(sql, clientId, toColumns(fields))
    await record(sql, 'client.changed', clientId, context, { before: toAudited(before), after: toAudited(fields) })
  })
}

/** Soft-deletes a client, and ends its grants, codes, tokens and consents. Throws 404, 409 `client-read-only`, and 412. */
export function remove(sql: Sql, clientId: string, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lockEditable(sql, clientId, context)
    await endClient(sql, clientId, toActorFields(context))
    await consents.removeAllOfClient(sql, clientId)
    await store.remove(sql, clientId)
    await record(sql, 'client.deleted', clientId, context, { before: toAudited(toFields(row)) })
  })
}

/** Undoes `remove` within 30 days, with the secrets and scopes of the client. Throws 404. */
export async function restore(sql: Sql, clientId: string, context: ChangeContext): Promise<void> {
  if (!(await restoreIfDeleted(sql, clientId, context))) throw problems.clientNotFound()
}

/** Like `restore`; returns undefined if the client is not in the trash. */
export function restoreIfDeleted(
  sql: Sql,
  clientId: string,
  context: ChangeContext,
): Promise<store.ClientRow | undefined> {
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    const row = (await store.restore(sql, clientId)) ? await store.lock(sql, clientId) : undefined
    // A user may have consented at the moment of the deletion.
    if (row) await consents.removeAllOfClient(sql, clientId)
    if (row) await record(sql, 'client.restored', clientId, context, { after: toAudited(toFields(row)) })
    return row
  })
}

/** Creates a further secret. Throws 409 `client-public` and `too-many-secrets`. */
export function createSecret(sql: Sql, clientId: string, context: ChangeContext) {
  return transaction(sql, async (sql) => {
    const row = await lockEditable(sql, clientId, context)
    if (!row.confidential) throw problems.clientPublic()
    const existing = await store.listSecrets(sql, [clientId])
    if (existing.length >= maxClientSecrets) throw problems.tooManySecrets()
    const created = await addSecret(sql, clientId)
    await record(sql, 'client.secret-created', clientId, context, { after: { secretId: created.secretId } })
    return created
  })
}

/** Deletes a secret. Throws 404 `client-secret-not-found`. */
export function removeSecret(sql: Sql, clientId: string, secretId: string, context: ChangeContext): Promise<void> {
  return transaction(sql, async (sql) => {
    await lockEditable(sql, clientId, context)
    if (!(await store.removeSecret(sql, clientId, secretId))) throw problems.secretNotFound()
    await record(sql, 'client.secret-deleted', clientId, context, { before: { secretId } })
  })
}

async function addSecret(sql: Sql, clientId: string): Promise<{ secretId: string; secret: string }> {
  const [secretId, secret] = [uuid(), generateToken()]
  await store.addSecret(sql, clientId, secretId, hashToken(secret))
  return { secretId, secret }
}

/** Throws 400 for an API that does not exist, and for a scope that it lacks. Locks the APIs, which may not lose a scope. */
async function requireApiScopes(sql: Sql, apis: ClientApi[]): Promise<void> {
  if (apis.length === 0) return
  await identityApis.lockChanges(sql)
  const scopesByApi = new Map((await identityApis.listAll(sql)).map((api) => [api.name, scopeNamesOf(api)]))
  const errors = apis.flatMap(({ name, scopes }, index) => {
    const known = scopesByApi.get(name)
    if (!known || name === builtInApiName)
      return [{ field: `apis[${index}].name`, code: 'not-found', message: `The API ${name} does not exist.` }]
    return scopes.flatMap((scope, place) =>
      known.includes(scope)
        ? []
        : [{ field: `apis[${index}].scopes[${place}]`, code: 'not-found', message: `${name} has no scope ${scope}.` }],
    )
  })
  if (errors.length > 0) throw problems.unknownApiScopes(errors)
}

/** Returns the fields for the audit trail, with the scopes of each API by its name. */
const toAudited = (fields: ClientFields): audit.JsonObject => ({
  ...toClientFields(fields),
  apis: Object.fromEntries(fields.apis.map(({ name, scopes }) => [name, scopes])),
})

/** Locks a client of the console. Throws 404, 409 `client-read-only`, or 412. */
async function lockEditable(
  sql: Sql,
  clientId: string,
  { caller, preconditions }: ChangeContext & { preconditions?: Preconditions },
): Promise<store.ClientRow> {
  const row = await store.lock(sql, clientId)
  await recheckCaller(sql, caller)
  if (!row) throw problems.clientNotFound()
  if (row.source !== 'console') throw problems.clientReadOnly()
  preconditions?.check({ etag: String(row.version) })
  return row
}

const toColumns = ({ clientName, deviceFlow, ...fields }: ClientFields): store.ClientColumns => ({
  name: clientName,
  redirectUris: fields.redirectUris,
  postLogoutRedirectUris: fields.postLogoutRedirectUris,
  grantTypes: toGrantTypes({ ...fields, deviceFlow }),
  backchannelLogoutUri: fields.backchannelLogoutUri,
  consent: fields.consent,
  isPinRequired: deviceFlow === 'pin',
  scopes: fields.scopes,
  apis: fields.apis,
  idTokenSigningAlg: fields.idTokenSigningAlg,
  pkce: fields.pkce,
  enabled: fields.enabled,
})

/** Returns the editable fields of a client. */
export function toFields(row: store.ClientRow): ClientFields {
  const deviceFlow = row.isPinRequired ? 'pin' : hasDeviceFlow(row.grantTypes)
  return toClientFields({ ...row, deviceFlow })
}

const record = (
  sql: Sql,
  action: `client.${'created' | 'changed' | 'deleted' | 'restored' | 'secret-created' | 'secret-deleted'}`,
  clientId: string,
  context: ChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'client', id: clientId }, ...change })
