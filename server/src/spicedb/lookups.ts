import { createHash } from 'node:crypto'
import { v1 } from '@authzed/authzed-node'
import {
  type Consistency,
  type FoundSubject,
  PermissionFault,
  type ResourcesPage,
  type ResourcesQuestion,
  type SubjectsPage,
  type SubjectsQuestion,
  type Token,
} from '@passport/permissions'
import { toConsistency, toContext, toObject, toSubject } from './messages.ts'
import { readMissing } from './trace.ts'

/** The client methods used by lookups. */
export type LookupClient = Pick<v1.ZedClientInterface, 'lookupResources' | 'lookupSubjects'>

/** The state of the previous page; the next page uses its snapshot. */
interface Cursor {
  question: string
  after: string
  token: Token
}

interface LookupResult {
  id: string
  permissionship: 'hasPermission' | 'conditional'
  missing: string[]
}

/**
 * SpiceDB streams in its own order and may repeat an id; our pages are sorted by id without duplicates. So each page
 * reads the whole result at the first page's snapshot, keeping at most two pages in memory.
 */
export async function lookupResources(
  client: LookupClient,
  question: ResourcesQuestion,
  consistency: Consistency | undefined,
): Promise<ResourcesPage> {
  const { limit, cursor: text, ...rest } = question
  const cursor = readCursor(text, rest)
  const page = new SmallestPage<LookupResult>(limit, cursor?.after)
  const stream = client.lookupResources({
    consistency: toConsistency(cursor ? { kind: 'atExactSnapshot', token: cursor.token } : consistency),
    resourceObjectType: question.resourceType,
    permission: question.permission,
    subject: toSubject(question.subject),
    ...toContext(question.context),
    optionalLimit: 0,
  })
  let lookedUpAt = cursor?.token ?? ''
  for await (const response of stream as AsyncIterable<v1.LookupResourcesResponse>) {
    lookedUpAt = response.lookedUpAt?.token ?? lookedUpAt
    page.add(toResult(response.resourceObjectId, response), merge)
  }
  return { ...page.read(rest, lookedUpAt), lookedUpAt, hasCycle: false }
}

/** SpiceDB has no paging of subjects (as of 1.54), so pages are built here. */
export async function lookupSubjects(
  client: LookupClient,
  question: SubjectsQuestion,
  consistency: Consistency | undefined,
): Promise<SubjectsPage> {
  const { limit, cursor: text, ...rest } = question
  const cursor = readCursor(text, rest)
  const page = new SmallestPage<FoundSubject>(limit, cursor?.after)
  const stream = client.lookupSubjects({
    consistency: toConsistency(cursor ? { kind: 'atExactSnapshot', token: cursor.token } : consistency),
    resource: toObject(question.resource),
    permission: question.permission,
    subjectObjectType: question.subjectType,
    optionalSubjectRelation: question.subjectRelation ?? '',
    ...toContext(question.context),
    optionalConcreteLimit: 0,
    wildcardOption: v1.LookupSubjectsRequest_WildcardOption.INCLUDE_WILDCARDS,
  })
  let lookedUpAt = cursor?.token ?? ''
  for await (const response of stream as AsyncIterable<v1.LookupSubjectsResponse>) {
    lookedUpAt = response.lookedUpAt?.token ?? lookedUpAt
    const { subject } = response
    if (subject === undefined || (subject.subjectObjectId === '*' && question.wildcards === 'exclude')) continue
    page.add({ ...toResult(subject.subjectObjectId, subject), excluded: toExclusions(response) }, mergeSubjects)
  }
  return { ...page.read(rest, lookedUpAt), lookedUpAt, hasCycle: false }
}

function toExclusions({ excludedSubjects }: v1.LookupSubjectsResponse): LookupResult[] {
  return excludedSubjects.map((subject) => toResult(subject.subjectObjectId, subject)).sort(byId)
}

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

/**
 * Merges two results for one id, which are two paths to it: either suffices, and two conditional ones depend on the
 * values of both.
 */
function merge<T extends LookupResult>(first: T, second: T): T {
  if (first.permissionship === 'hasPermission') return first
  if (second.permissionship === 'hasPermission') return second
  return { ...first, missing: [...new Set([...first.missing, ...second.missing])].sort() }
}

/** Merges two results for a subject: it is excluded from the wildcard only if both exclude it. */
function mergeSubjects(first: FoundSubject, second: FoundSubject): FoundSubject {
  const ids = new Set([...first.excluded, ...second.excluded].map(({ id }) => id))
  const excluded = [...ids].sort().flatMap((id) => {
    const [inFirst, inSecond] = [findInWildcard(first, id), findInWildcard(second, id)]
    const merged = inFirst && inSecond ? merge(inFirst, inSecond) : (inFirst ?? inSecond)
    if (!merged) return [{ id, permissionship: 'hasPermission' as const, missing: [] }]
    return merged.permissionship === 'hasPermission' ? [] : [merged]
  })
  return { ...merge(first, second), excluded }
}

/** Returns whether a wildcard result includes an id; undefined if it is definitely excluded. */
function findInWildcard({ permissionship, missing, excluded }: FoundSubject, id: string): LookupResult | undefined {
  const exclusion = excluded.find((item) => item.id === id)
  if (!exclusion) return { id, permissionship, missing }
  if (exclusion.permissionship === 'hasPermission') return undefined
  return { id, permissionship: 'conditional', missing: [...new Set([...missing, ...exclusion.missing])].sort() }
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** Keeps the `limit` smallest ids after a given one, and whether there are more. */
class SmallestPage<T extends { id: string }> {
  readonly #limit: number
  readonly #after: string | undefined
  #kept = new Map<string, T>()
  #bound: string | undefined

  constructor(limit: number, after: string | undefined) {
    this.#limit = limit
    this.#after = after
  }

  add(item: T, merge: (first: T, second: T) => T): void {
    if (this.#after !== undefined && item.id <= this.#after) return
    if (this.#bound !== undefined && item.id > this.#bound) return
    const existing = this.#kept.get(item.id)
    this.#kept.set(item.id, existing ? merge(existing, item) : item)
    if (this.#kept.size > 2 * this.#limit + 1) this.#shrink()
  }

  #shrink(): void {
    const smallest = [...this.#kept.values()].sort(byId).slice(0, this.#limit + 1)
    this.#kept = new Map(smallest.map((item) => [item.id, item]))
    this.#bound = smallest.at(-1)?.id
  }

  read(question: object, token: Token): { items: T[]; cursor?: string } {
    const sorted = [...this.#kept.values()].sort(byId)
    const items = sorted.slice(0, this.#limit)
    const last = items.at(-1)
    if (last === undefined || sorted.length === items.length) return { items }
    return { items, cursor: writeCursor({ question: fingerprint(question), after: last.id, token }) }
  }
}

function fingerprint(question: object): string {
  const sorted = Object.entries(question).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 16)
}

function writeCursor({ question, after, token }: Cursor): string {
  return Buffer.from(JSON.stringify([question, after, token])).toString('base64url')
}

function readCursor(text: string | undefined, question: object): Cursor | undefined {
  if (text === undefined) return undefined
  const parts = parseCursor(text)
  if (parts?.[0] !== fingerprint(question)) {
    throw new PermissionFault('cursor-mismatch', 'The cursor belongs to a different request.', 'cursor')
  }
  const [fingerprinted, after, token] = parts
  return { question: fingerprinted, after, token }
}

function parseCursor(text: string): [string, string, string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    const isCursor = Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string')
    return isCursor ? (parts as [string, string, string]) : undefined
  } catch {
    return undefined
  }
}
