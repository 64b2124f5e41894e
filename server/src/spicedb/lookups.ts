import { v1 } from '@authzed/authzed-node'
import type {
  Consistency,
  FoundSubject,
  LookupResourcesRequest,
  LookupSubjectsRequest,
  ResourcesPage,
  SubjectsPage,
  Token,
} from '@passport/permissions'
import * as z from 'zod/mini'
import { decodeCursor, encodeCursor } from '../permissions/cursor.ts'
import { readSchemaText, type SpiceDbClients } from './clients.ts'
import { readMissing, toConsistency, toContext, toObject, toSubject } from './messages.ts'

export function lookupResources(
  clients: SpiceDbClients,
  request: LookupResourcesRequest,
  consistency: Consistency | undefined,
): Promise<ResourcesPage> {
  return readPage(clients, request, consistency, {
    open: (consistency) =>
      clients.permissions.lookupResources({
        consistency,
        resourceObjectType: request.resourceType,
        permission: request.permission,
        subject: toSubject(request.subject),
        ...toContext(request.context),
        optionalLimit: 0,
      }),
    toItem: (response: v1.LookupResourcesResponse) => toResult(response.resourceObjectId, response),
    merge: mergeResults,
  })
}

/** Returns a page of subjects. SpiceDB has no pages of subjects (as of 1.54). */
export function lookupSubjects(
  clients: SpiceDbClients,
  request: LookupSubjectsRequest,
  consistency: Consistency | undefined,
): Promise<SubjectsPage> {
  return readPage(clients, request, consistency, {
    open: (consistency) =>
      clients.permissions.lookupSubjects({
        consistency,
        resource: toObject(request.resource),
        permission: request.permission,
        subjectObjectType: request.subjectType,
        optionalSubjectRelation: request.subjectRelation ?? '',
        ...toContext(request.context),
        optionalConcreteLimit: 0,
        wildcardOption: v1.LookupSubjectsRequest_WildcardOption.INCLUDE_WILDCARDS,
      }),
    toItem: ({ subject, excludedSubjects }: v1.LookupSubjectsResponse) => {
      if (subject === undefined || (subject.subjectObjectId === '*' && request.wildcards === 'exclude'))
        return undefined
      const excluded = excludedSubjects.map((excluded) => toResult(excluded.subjectObjectId, excluded)).sort(byId)
      return { ...toResult(subject.subjectObjectId, subject), excluded }
    },
    merge: mergeSubjects,
  })
}

type LookupResult = Pick<FoundSubject, 'id' | 'permissionship' | 'missing'>

function toResult(
  id: string,
  response: { permissionship: v1.LookupPermissionship; partialCaveatInfo?: v1.PartialCaveatInfo },
): LookupResult {
  const isConditional = response.permissionship === v1.LookupPermissionship.CONDITIONAL_PERMISSION
  return {
    id,
    permissionship: isConditional ? 'conditional' : 'hasPermission',
    missing: isConditional ? readMissing(response.partialCaveatInfo) : [],
  }
}

/** Merges the results of two paths to an id. Either suffices; if both are conditional, both have missing values. */
function mergeResults<T extends LookupResult>(first: T, second: T): T {
  if (first.permissionship === 'hasPermission') return first
  if (second.permissionship === 'hasPermission') return second
  return { ...first, missing: [...new Set([...first.missing, ...second.missing])].sort() }
}

/** Merges the results of two paths to a subject. An id is excluded from the wildcard only if both exclude it. */
function mergeSubjects(first: FoundSubject, second: FoundSubject): FoundSubject {
  const ids = new Set([...first.excluded, ...second.excluded].map(({ id }) => id))
  const excluded = [...ids].sort().flatMap((id) => {
    const [inFirst, inSecond] = [findInWildcard(first, id), findInWildcard(second, id)]
    const merged = inFirst && inSecond ? mergeResults(inFirst, inSecond) : (inFirst ?? inSecond)
    if (!merged) return [{ id, permissionship: 'hasPermission' as const, missing: [] }]
    return merged.permissionship === 'hasPermission' ? [] : [merged]
  })
  return { ...mergeResults(first, second), excluded }
}

/** Returns the verdict of a wildcard result for an id; undefined if the id is excluded unconditionally. */
function findInWildcard({ permissionship, missing, excluded }: FoundSubject, id: string): LookupResult | undefined {
  const exclusion = excluded.find((item) => item.id === id)
  if (!exclusion) return { id, permissionship, missing }
  if (exclusion.permissionship === 'hasPermission') return undefined
  return { id, permissionship: 'conditional', missing: [...new Set([...missing, ...exclusion.missing])].sort() }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

interface Lookup<Response, Item> {
  open: (consistency: v1.Consistency) => unknown
  /** Returns undefined for a response that the page omits. */
  toItem: (response: Response) => Item | undefined
  merge: (first: Item, second: Item) => Item
}

const CursorPosition = z.object({ token: z.string(), after: z.string() })

/**
 * Returns a page sorted by id, without duplicates. SpiceDB streams results in its own order and may repeat an id, so each
 * page reads the whole result at the snapshot of the first page, and keeps at most two pages in memory.
 */
async function readPage<Response extends { lookedUpAt?: v1.ZedToken }, Item extends LookupResult>(
  clients: SpiceDbClients,
  request: { limit: number; cursor?: string | undefined },
  consistency: Consistency | undefined,
  { open, toItem, merge }: Lookup<Response, Item>,
): Promise<{ items: Item[]; cursor?: string; lookedUpAt: Token; hasCycle: boolean }> {
  const position = decodeCursor(CursorPosition, request)
  const page = createSmallestPage(request.limit, position?.after, merge)
  const read = async (consistency: Consistency | undefined) => {
    let token = position?.token ?? ''
    for await (const response of open(toConsistency(consistency)) as AsyncIterable<Response>) {
      token = response.lookedUpAt?.token ?? token
      const item = toItem(response)
      if (item) page.add(item)
    }
    return token
  }
  let lookedUpAt = await read(position ? { kind: 'atExactSnapshot', token: position.token } : consistency)
  if (lookedUpAt === '') {
    // SpiceDB sends its token only with a result, so an empty lookup is repeated at the token of the schema.
    lookedUpAt = (await readSchemaText(clients)).readAt
    await read({ kind: 'atExactSnapshot', token: lookedUpAt })
  }
  const { items, hasMore } = page.read()
  const after = items.at(-1)?.id
  const cursor = hasMore && after !== undefined && encodeCursor(request, { token: lookedUpAt, after })
  return { items, ...(cursor && { cursor }), lookedUpAt, hasCycle: false }
}

/** Collects the items with the `limit` smallest ids after a given one. */
function createSmallestPage<Item extends { id: string }>(
  limit: number,
  after: string | undefined,
  merge: Lookup<never, Item>['merge'],
) {
  let kept = new Map<string, Item>()
  let bound: string | undefined
  return {
    add: (item: Item) => {
      if ((after !== undefined && item.id <= after) || (bound !== undefined && item.id > bound)) return
      const existing = kept.get(item.id)
      kept.set(item.id, existing ? merge(existing, item) : item)
      if (kept.size <= 2 * limit + 1) return
      const smallest = [...kept.values()].sort(byId).slice(0, limit + 1)
      kept = new Map(smallest.map((item) => [item.id, item]))
      bound = smallest.at(-1)?.id
    },
    read: () => ({ items: [...kept.values()].sort(byId).slice(0, limit), hasMore: kept.size > limit }),
  }
}
