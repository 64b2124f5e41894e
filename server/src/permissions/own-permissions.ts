import * as api from '@passport/contract/own-permissions'
import {
  type ErrorCode,
  findGrantingChains,
  type ObjectReference,
  type PermissionEngine,
  PermissionError,
  type Relationship,
  type ResourcesPage,
} from '@passport/permissions'
import * as z from 'zod/mini'
import type { Sql } from '../database/sql.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { readAllNames } from './directory-names.ts'
import { toProblem } from './error-problem.ts'
import * as problems from './problems.ts'
import { toWireVerdict } from './to-wire.ts'
import { createDeadline, createYielder } from './yield-if-due.ts'

/** The context of requests for a user's own permissions, which disclose nothing about other users. */
interface OwnPermissionsContext {
  engine: PermissionEngine
  sql: Sql
  /** The caller, who is also the subject. */
  userId: string
}

/** A permission of a resource type. */
const PermissionOfType = z.object({ type: z.string(), permission: z.string() })
type PermissionOfType = z.infer<typeof PermissionOfType>

const maxItems = 20
/** The number of resources returned with each permission. */
const maxResourcesPerPermission = 10
/** The size of the further pages of resources. */
const resourcesPerPage = 50
/** The time limit for one page of permissions. */
const timeLimitMs = 1000

const toSubject = ({ userId }: OwnPermissionsContext) => ({ type: 'passport/user', id: userId })

/** Returns a page of the permissions that the user has on at least one resource. The page ends early if `isExpired`. */
export async function listOwnPermissions(
  context: OwnPermissionsContext,
  after: string | undefined,
  isExpired = createDeadline(timeLimitMs),
): Promise<{ items: api.OwnPermission[]; next: string | null }> {
  const request = { person: toSubject(context) }
  const position = decodeCursor(PermissionOfType, { ...request, cursor: after })
  const all = await listPermissionsOfUsers(context.engine)
  const index = position ? indexOf(all, position) : -1
  if (position && index < 0)
    throw new PermissionError('cursor-mismatch', 'The schema has changed. Start again without a cursor.', 'cursor')
  const yieldIfDue = createYielder()
  const found: (PermissionOfType & FirstPage)[] = []
  let last: PermissionOfType | undefined
  for (const permission of all.slice(index + 1)) {
    if (found.length >= maxItems || (last && isExpired())) break
    const page = await lookUpFirstPage(context, permission)
    if (page.error || page.items.length > 0) found.push({ ...permission, ...page })
    last = permission
    await yieldIfDue()
  }
  const cursor = last && last !== all.at(-1) ? encodeCursor(request, last) : undefined
  const nameOf = await readNames(
    context,
    found.flatMap(({ type, items }) => items.map(({ id }) => ({ type, id }))),
  )
  return {
    items: found.map(({ type, permission, items, cursor, error }) => ({
      type,
      permission,
      items: toResources(type, items, nameOf),
      next: cursor === undefined ? null : formatResourcesPath({ type, permission }, resourcesPerPage, cursor),
      ...(error && { error }),
    })),
    next: cursor === undefined ? null : `${api.listOwnPermissions.path}?${new URLSearchParams({ after: cursor })}`,
  }
}

type FirstPage = Pick<ResourcesPage, 'items' | 'cursor'> & { error?: { code: string; message: string } }

/** Looks up the first resources. An error is returned, so that it does not affect other permissions. */
async function lookUpFirstPage(context: OwnPermissionsContext, permission: PermissionOfType): Promise<FirstPage> {
  try {
    return await lookUp(context, permission, { limit: maxResourcesPerPermission })
  } catch (error) {
    const failure = error instanceof PermissionError && problems.evaluationFailures[error.code]
    if (!failure) throw error
    return { items: [], error: { code: failure.code, message: failure.meaning } }
  }
}

/** Returns a page of the resources on which the user has a permission. Throws 404 if users cannot have it. */
export async function listOwnResources(
  context: OwnPermissionsContext,
  { limit, after, type, permission }: PermissionOfType & { limit: number; after?: string | undefined },
) {
  await requirePermissionOfUsers(context.engine, { type, permission })
  const { items, cursor } = await lookUp(context, { type, permission }, { limit, cursor: after })
  const nameOf = await readNames(
    context,
    items.map(({ id }) => ({ type, id })),
  )
  const next = cursor === undefined ? null : formatResourcesPath({ type, permission }, limit, cursor)
  return { items: toResources(type, items, nameOf), limit, next }
}

/**
 * Returns the relationships that grant the user a permission. Throws 404 if users cannot have it, and 501 if the engine
 * returns no trace.
 */
export async function explainOwnPermission(
  context: OwnPermissionsContext,
  { id, type, permission }: PermissionOfType & { id: string },
) {
  await requirePermissionOfUsers(context.engine, { type, permission })
  const request = { resource: { type, id }, permission, subject: toSubject(context) }
  const { trace, ...result } = await context.engine.check(request, { withTrace: true })
  if (!trace && result.permissionship !== 'noPermission') throw problems.notSupported()
  const chains = trace ? findGrantingChains(trace) : []
  const nameOf = await readNames(
    context,
    chains.flat().flatMap(({ subject, resource }) => [subject, resource]),
  )
  return {
    ...toWireVerdict(result),
    chains: chains.map((chain) => chain.map((relationship) => toPathStep(relationship, nameOf))),
  }
}

type NameOf = (object: ObjectReference) => string | null

/** Reads the names of objects; of users, only that of the caller. */
async function readNames({ sql, userId }: OwnPermissionsContext, objects: ObjectReference[]): Promise<NameOf> {
  const visible = objects.filter(({ type, id }) => type !== 'passport/user' || id === userId)
  const names = new Map((await readAllNames(sql, visible)).map(({ type, id, name }) => [`${type}:${id}`, name]))
  return ({ type, id }) => names.get(`${type}:${id}`) ?? null
}

const toPathStep = ({ resource, relation, subject, caveat }: Relationship, nameOf: NameOf): api.PathStep => ({
  subject: { ...subject, name: nameOf(subject) },
  relation,
  resource: { ...resource, name: nameOf(resource) },
  ...(caveat && { caveat: { name: caveat.name } }),
})

const toResources = (type: string, items: ResourcesPage['items'], nameOf: NameOf) =>
  items.map(({ id, ...verdict }) => ({ id, name: nameOf({ type, id }), ...toWireVerdict(verdict) }))

const lookUp = (
  context: OwnPermissionsContext,
  { type, permission }: PermissionOfType,
  page: { limit: number; cursor?: string | undefined },
) => context.engine.lookupResources({ resourceType: type, permission, subject: toSubject(context), ...page })

const formatResourcesPath = (permission: PermissionOfType, limit: number, after: string) =>
  `${api.listOwnResources.path}?${new URLSearchParams({ ...permission, limit: String(limit), after })}`

/** Lists the permissions that users of the directory can have, in the order of the schema. */
async function listPermissionsOfUsers(engine: PermissionEngine): Promise<PermissionOfType[]> {
  const { definitions } = await engine.reflectSchema()
  return definitions.flatMap(({ name: type, permissions }) =>
    permissions
      .filter(({ subjects }) =>
        subjects.some((subject) => subject.type === 'passport/user' && subject.relation === undefined),
      )
      .map(({ name: permission }) => ({ type, permission })),
  )
}

const indexOf = (all: PermissionOfType[], { type, permission }: PermissionOfType) =>
  all.findIndex((other) => other.type === type && other.permission === permission)

/** Throws 404 if users cannot have the permission. */
async function requirePermissionOfUsers(engine: PermissionEngine, permission: PermissionOfType): Promise<void> {
  if (indexOf(await listPermissionsOfUsers(engine), permission) < 0) throw problems.permissionNotFound()
}

/** The errors of the request itself. The messages of others may disclose stored data, such as caveat context. */
const requestErrorCodes: ReadonlySet<ErrorCode> = new Set([
  'malformed-id',
  'cursor-mismatch',
  'snapshot-gone',
  'not-caught-up',
])

/** Runs `work`, and converts an error of the engine to a problem that discloses no stored data. */
export async function withSafeProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    if (requestErrorCodes.has(error.code)) throw toProblem(error, { cursor: 'after', resource: '' })
    throw problems.evaluationFailures[error.code]?.() ?? error
  }
}
