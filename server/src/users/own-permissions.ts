import type { OwnPermission, PathStep } from '@passport/contract/own-permissions'
import * as api from '@passport/contract/own-permissions'
import type { PermissionEngine, ResourcesPage } from '@passport/permissions/engine'
import { type FaultCode, PermissionFault } from '@passport/permissions/fault'
import { chainsOf } from '@passport/permissions/granting-chains'
import type { Relationship } from '@passport/permissions/relationship'
import * as z from 'zod/mini'
import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import { cursorOf, placeOf } from '../permissions/cursor.ts'
import { nameAll } from '../permissions/directory-names.ts'
import { problemOf } from '../permissions/fault-problem.ts'
import { notOfThisEngine } from '../permissions/serve-questions.ts'
import { toldVerdict } from '../permissions/told.ts'
import { deadlineIn, takingTurns } from '../permissions/turns.ts'

/** What somebody is told of their own permissions, and nothing of anybody else. */
interface Asking {
  engine: PermissionEngine
  sql: Sql
  /** Who asks, and is asked about. */
  personId: string
}

/** A permission of a type. */
const Pair = z.object({ type: z.string(), permission: z.string() })
type Pair = z.infer<typeof Pair>

const mostOnPage = 20
/** So many resources come with each permission. */
const firstOfEach = 10
/** A page of permissions is not looked for any longer. */
const patienceMs = 1000

const personOf = ({ personId }: Asking) => ({ type: 'passport/user', id: personId })

/** The permissions that a person has anything of, a page of them; `isOver` tells when to leave the rest to the next. */
export async function permissionsOf(
  asking: Asking,
  after: string | undefined,
  isOver = deadlineIn(patienceMs),
): Promise<{ items: OwnPermission[]; next: string | null }> {
  const question = { person: personOf(asking) }
  const place = placeOf(Pair, { ...question, ...(after !== undefined && { cursor: after }) })
  const pairs = await pairsOf(asking.engine)
  const takeTurn = takingTurns()
  const held: { pair: Pair; page: Held }[] = []
  let at = place ? indexOf(pairs, place) + 1 : 0
  let isBegun = false
  for (let pair = pairs[at]; pair && held.length < mostOnPage && !(isBegun && isOver()); pair = pairs[++at]) {
    isBegun = true
    const page = await firstPage(asking, pair)
    if ('error' in page || page.items.length > 0) held.push({ pair, page })
    await takeTurn()
  }
  const last = pairs[at - 1]
  const cursor = last && at < pairs.length ? cursorOf(question, last) : null
  const names = await namesFor(
    asking,
    held.flatMap(({ pair: { type }, page: { items } }) => items.map(({ id }) => ({ type, id }))),
  )
  return {
    items: held.map(({ pair, page: { items, cursor, ...rest } }) => ({
      ...pair,
      ...rest,
      items: toldResources(pair.type, items, names),
      next: cursor === undefined ? null : pathOfResources(pair, 50, cursor),
    })),
    next: cursor === null ? null : `${api.listOwnPermissions.path}?${new URLSearchParams({ after: cursor })}`,
  }
}

interface Held {
  items: ResourcesPage['items']
  cursor?: string
  error?: { code: string; message: string }
}

/** What cannot be worked out for one permission spoils no other. */
async function firstPage(asking: Asking, pair: Pair): Promise<Held> {
  try {
    const { items, cursor } = await lookUp(asking, pair, { limit: firstOfEach })
    return { items, ...(cursor !== undefined && { cursor }) }
  } catch (error) {
    if (!(error instanceof PermissionFault) || error.code === 'not-caught-up') throw error
    return { items: [], error: { code: error.code, message: notWorkedOut } }
  }
}

/** One page of the resources that a person has a permission on. */
export async function resourcesOf(asking: Asking, query: Pair & { limit: number; after?: string | undefined }) {
  const { limit, after, type, permission } = query
  const pair = { type, permission }
  await mustBeForPeople(asking.engine, pair)
  const { items, cursor } = await lookUp(asking, pair, { limit, ...(after !== undefined && { cursor: after }) })
  const names = await namesFor(
    asking,
    items.map(({ id }) => ({ type, id })),
  )
  const next = cursor === undefined ? null : pathOfResources(pair, limit, cursor)
  return { items: toldResources(type, items, names), limit, next }
}

/** By which relationships a person has a permission. Throws 501 where the engine cannot tell. */
export async function pathOf(asking: Asking, { id, ...pair }: Pair & { id: string }) {
  await mustBeForPeople(asking.engine, pair)
  const question = { resource: { type: pair.type, id }, permission: pair.permission, subject: personOf(asking) }
  const { trace, ...answer } = await asking.engine.check(question, { withTrace: true })
  if (!trace && answer.permissionship !== 'noPermission') throw notOfThisEngine()
  const chains = trace ? chainsOf(trace) : []
  const names = await namesFor(
    asking,
    chains.flat().flatMap(({ subject, resource }) => [subject, resource]),
  )
  return { ...toldVerdict(answer), chains: chains.map((chain) => chain.map((one) => stepOf(one, names))) }
}

type Names = ReadonlyMap<string, string>
interface Place {
  type: string
  id: string
}

function stepOf({ resource, relation, subject, caveat }: Relationship, names: Names): PathStep {
  return {
    subject: { ...subject, name: nameIn(names, subject) },
    relation,
    resource: { ...resource, name: nameIn(names, resource) },
    ...(caveat && { caveat: { name: caveat.name } }),
  }
}

/** Of people only they themselves are called by their name. */
async function namesFor({ sql, personId }: Asking, places: Place[]): Promise<Names> {
  const named = places.filter(({ type, id }) => type !== 'passport/user' || id === personId)
  return new Map((await nameAll(sql, named)).map(({ type, id, name }) => [`${type}:${id}`, name]))
}
const nameIn = (names: Names, { type, id }: Place) => names.get(`${type}:${id}`) ?? null

const toldResources = (type: string, items: ResourcesPage['items'], names: Names) =>
  items.map(({ id, ...verdict }) => ({ id, name: nameIn(names, { type, id }), ...toldVerdict(verdict) }))

const lookUp = (asking: Asking, { type, permission }: Pair, page: { limit: number; cursor?: string }) =>
  asking.engine.lookupResources({ resourceType: type, permission, subject: personOf(asking), ...page })

const pathOfResources = (pair: Pair, limit: number, after: string) =>
  `${api.listOwnResources.path}?${new URLSearchParams({ ...pair, limit: String(limit), after })}`

/** Every permission that people of the directory can have, in the order of the schema. */
async function pairsOf(engine: PermissionEngine): Promise<Pair[]> {
  const { definitions } = await engine.reflectSchema()
  return definitions.flatMap(({ name: type, permissions }) =>
    permissions
      .filter(({ subjects }) => subjects.some((one) => one.type === 'passport/user' && one.relation === undefined))
      .map(({ name: permission }) => ({ type, permission })),
  )
}

/** The place of a pair. Throws `cursor-mismatch` where the schema has it no more. */
function indexOf(pairs: Pair[], { type, permission }: Pair): number {
  const at = pairs.findIndex((one) => one.type === type && one.permission === permission)
  if (at < 0) throw new PermissionFault('cursor-mismatch', 'The schema is another by now.', 'cursor')
  return at
}

async function mustBeForPeople(engine: PermissionEngine, pair: Pair): Promise<void> {
  const isThere = (await pairsOf(engine)).some(
    ({ type, permission }) => type === pair.type && permission === pair.permission,
  )
  if (!isThere) throw new Problem(404, 'permission-not-found', 'There is no such permission for people.')
}

const notWorkedOut = 'What this rests on cannot be worked out as it is stored.'
/** Faults of what was asked. What others say may hold what is stored of others, such as the values of a caveat. */
const ofTheQuestion: ReadonlySet<FaultCode> = new Set([
  'malformed-id',
  'cursor-mismatch',
  'snapshot-gone',
  'not-caught-up',
])

/** Does the work; a fault becomes a problem that tells nothing of what is stored. */
export async function toldToPerson<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PermissionFault)) throw error
    if (ofTheQuestion.has(error.code)) throw problemOf(error, { cursor: 'after', resource: '' })
    throw new Problem(409, error.code, notWorkedOut)
  }
}
