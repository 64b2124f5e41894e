import type { OwnPermission, PathStep } from '@passport/contract/own-permissions'
import * as api from '@passport/contract/own-permissions'
import {
  type ErrorCode,
  findGrantingChains,
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

/** The context of reads of a user's own permissions, which disclose nothing about others. */
interface OwnPermissionsContext {
  engine: PermissionEngine
  sql: Sql
  /** The caller, who is also the subject. */
  personId: string
}

/** A permission of a type. */
const Pair = z.object({ type: z.string(), permission: z.string() })
type Pair = z.infer<typeof Pair>

const maxItems = 20
/** The number of resources returned with each permission. */
const maxResourcesPerPermission = 10
/** The time limit for one page of permissions. */
const timeLimitMs = 1000

const toSubject = ({ personId }: OwnPermissionsContext) => ({ type: 'passport/user', id: personId })

/** Returns a page of the permissions for which a person has any resource; `isOver` ends the page early. */
export async function listOwnPermissions(
  context: OwnPermissionsContext,
  after: string | undefined,
  isExpired = createDeadline(timeLimitMs),
): Promise<{ items: OwnPermission[]; next: string | null }> {
  const request = { person: toSubject(context) }
  const position = decodeCursor(Pair, { ...request, ...(after !== undefined && { cursor: after }) })
  const pairs = await listPairs(context.engine)
  const yieldIfDue = createYielder()
  const found: { pair: Pair; page: FirstPage }[] = []
  let index = position ? findPairIndex(pairs, position) + 1 : 0
  let hasBegun = false
  for (let pair = pairs[index]; pair && found.length < maxItems && !(hasBegun && isExpired()); pair = pairs[++index]) {
    hasBegun = true
    const page = await firstPage(context, pair)
    if ('error' in page || page.items.length > 0) found.push({ pair, page })
    await yieldIfDue()
  }
  const last = pairs[index - 1]
  const cursor = last && index < pairs.length ? encodeCursor(request, last) : null
  const names = await findNames(
    context,
    found.flatMap(({ pair: { type }, page: { items } }) => items.map(({ id }) => ({ type, id }))),
  )
  return {
    items: found.map(({ pair, page: { items, cursor, ...rest } }) => ({
      ...pair,
      ...rest,
      items: toResources(pair.type, items, names),
      next: cursor === undefined ? null : resourcesPath(pair, 50, cursor),
    })),
    next: cursor === null ? null : `${api.listOwnPermissions.path}?${new URLSearchParams({ after: cursor })}`,
  }
}

interface FirstPage {
  items: ResourcesPage['items']
  cursor?: string
  error?: { code: string; message: string }
}

/** A permission that cannot be evaluated does not affect others. */
async function firstPage(context: OwnPermissionsContext, pair: Pair): Promise<FirstPage> {
  try {
    const { items, cursor } = await lookUp(context, pair, { limit: maxResourcesPerPermission })
    return { items, ...(cursor !== undefined && { cursor }) }
  } catch (error) {
    const failure = error instanceof PermissionError && problems.evaluationFailures[error.code]
    if (!failure) throw error
    return { items: [], error: { code: failure.code, message: failure.meaning } }
  }
}

/** Returns a page of the resources on which a person has a permission. */
export async function listOwnResources(
  context: OwnPermissionsContext,
  query: Pair & { limit: number; after?: string | undefined },
) {
  const { limit, after, type, permission } = query
  const pair = { type, permission }
  await requirePermissionForUsers(context.engine, pair)
  const { items, cursor } = await lookUp(context, pair, { limit, ...(after !== undefined && { cursor: after }) })
  const names = await findNames(
    context,
    items.map(({ id }) => ({ type, id })),
  )
  const next = cursor === undefined ? null : resourcesPath(pair, limit, cursor)
  return { items: toResources(type, items, names), limit, next }
}

/** Returns the relationships by which a person has a permission. Throws 501 if the engine cannot compute them. */
export async function explainOwnPermission(context: OwnPermissionsContext, { id, ...pair }: Pair & { id: string }) {
  await requirePermissionForUsers(context.engine, pair)
  const request = { resource: { type: pair.type, id }, permission: pair.permission, subject: toSubject(context) }
  const { trace, ...result } = await context.engine.check(request, { withTrace: true })
  if (!trace && result.permissionship !== 'noPermission') throw problems.notSupported()
  const chains = trace ? findGrantingChains(trace) : []
  const names = await findNames(
    context,
    chains.flat().flatMap(({ subject, resource }) => [subject, resource]),
  )
  return {
    ...toWireVerdict(result),
    chains: chains.map((chain) => chain.map((relationship) => toPathStep(relationship, names))),
  }
}

type Names = ReadonlyMap<string, string>
interface ObjectReference {
  type: string
  id: string
}

function toPathStep({ resource, relation, subject, caveat }: Relationship, names: Names): PathStep {
  return {
    subject: { ...subject, name: getName(names, subject) },
    relation,
    resource: { ...resource, name: getName(names, resource) },
    ...(caveat && { caveat: { name: caveat.name } }),
  }
}

/** Resolves names; of users only the caller's own. */
async function findNames({ sql, personId }: OwnPermissionsContext, objects: ObjectReference[]): Promise<Names> {
  const visible = objects.filter(({ type, id }) => type !== 'passport/user' || id === personId)
  return new Map((await readAllNames(sql, visible)).map(({ type, id, name }) => [`${type}:${id}`, name]))
}
const getName = (names: Names, { type, id }: ObjectReference) => names.get(`${type}:${id}`) ?? null

const toResources = (type: string, items: ResourcesPage['items'], names: Names) =>
  items.map(({ id, ...verdict }) => ({ id, name: getName(names, { type, id }), ...toWireVerdict(verdict) }))

const lookUp = (context: OwnPermissionsContext, { type, permission }: Pair, page: { limit: number; cursor?: string }) =>
  context.engine.lookupResources({ resourceType: type, permission, subject: toSubject(context), ...page })

const resourcesPath = (pair: Pair, limit: number, after: string) =>
  `${api.listOwnResources.path}?${new URLSearchParams({ ...pair, limit: String(limit), after })}`

/** Lists every permission that users of the directory can have, in the order of the schema. */
async function listPairs(engine: PermissionEngine): Promise<Pair[]> {
  const { definitions } = await engine.reflectSchema()
  return definitions.flatMap(({ name: type, permissions }) =>
    permissions
      .filter(({ subjects }) =>
        subjects.some((subject) => subject.type === 'passport/user' && subject.relation === undefined),
      )
      .map(({ name: permission }) => ({ type, permission })),
  )
}

/** Returns the index of a pair. Throws `cursor-mismatch` if the schema no longer has it. */
function findPairIndex(pairs: Pair[], { type, permission }: Pair): number {
  const index = pairs.findIndex((pair) => pair.type === type && pair.permission === permission)
  if (index < 0)
    throw new PermissionError('cursor-mismatch', 'The schema has changed. Start again without a cursor.', 'cursor')
  return index
}

async function requirePermissionForUsers(engine: PermissionEngine, pair: Pair): Promise<void> {
  const exists = (await listPairs(engine)).some(
    ({ type, permission }) => type === pair.type && permission === pair.permission,
  )
  if (!exists) throw problems.permissionNotFound()
}

/**
 * Errors of the request itself. Messages of other errors may disclose stored data of others, such as caveat context.
 */
const requestErrorCodes: ReadonlySet<ErrorCode> = new Set([
  'malformed-id',
  'cursor-mismatch',
  'snapshot-gone',
  'not-caught-up',
])

/** Runs `work`; turns an error into a problem that discloses no stored data. */
export async function withSafeProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    if (requestErrorCodes.has(error.code)) throw toProblem(error, { cursor: 'after', resource: '' })
    throw problems.evaluationFailures[error.code]?.() ?? error
  }
}
