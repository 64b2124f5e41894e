import { createHash } from 'node:crypto'
import { v1 } from '@authzed/authzed-node'
import type {
  Consistency,
  FoundSubject,
  ResourcesPage,
  ResourcesQuestion,
  SubjectsPage,
  SubjectsQuestion,
  Token,
} from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { toConsistency, toContext, toObject, toSubject } from './messages.ts'
import { missingOf } from './trace.ts'

/** What a lookup needs of a client. */
export type LookupClient = Pick<v1.ZedClientInterface, 'lookupResources' | 'lookupSubjects'>

/** Of the page before, at whose snapshot the next is asked. */
interface Cursor {
  question: string
  after: string
  token: Token
}

interface Found {
  id: string
  permissionship: 'hasPermission' | 'conditional'
  missing: string[]
}

/**
 * SpiceDB streams in an order of its own and may repeat an id; ours are by id and once. So each page reads the whole
 * answer at the snapshot of the first, and keeps no more than twice a page of it in memory.
 */
export async function lookupResources(
  client: LookupClient,
  question: ResourcesQuestion,
  consistency: Consistency | undefined,
): Promise<ResourcesPage> {
  const { limit, cursor: text, ...rest } = question
  const cursor = readCursor(text, rest)
  const page = new SmallestPage<Found>(limit, cursor?.after)
  const stream = client.lookupResources({
    consistency: toConsistency(cursor ? { kind: 'atExactSnapshot', token: cursor.token } : consistency),
    resourceObjectType: question.resourceType,
    permission: question.permission,
    subject: toSubject(question.subject),
    ...toContext(question.context),
    optionalLimit: 0,
  })
  let lookedUpAt = cursor?.token ?? ''
  for await (const answer of stream as AsyncIterable<v1.LookupResourcesResponse>) {
    lookedUpAt = answer.lookedUpAt?.token ?? lookedUpAt
    page.add(found(answer.resourceObjectId, answer), merged)
  }
  return { ...page.read(rest, lookedUpAt), lookedUpAt, hasCycle: false }
}

/** SpiceDB has no pages of subjects (as of 1.54); they are made here. */
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
  for await (const answer of stream as AsyncIterable<v1.LookupSubjectsResponse>) {
    lookedUpAt = answer.lookedUpAt?.token ?? lookedUpAt
    const { subject } = answer
    if (subject === undefined || (subject.subjectObjectId === '*' && question.wildcards === 'exclude')) continue
    page.add({ ...found(subject.subjectObjectId, subject), excluded: exclusions(answer) }, mergedSubjects)
  }
  return { ...page.read(rest, lookedUpAt), lookedUpAt, hasCycle: false }
}

function exclusions({ excludedSubjects }: v1.LookupSubjectsResponse): Found[] {
  return excludedSubjects.map((subject) => found(subject.subjectObjectId, subject)).sort(byId)
}

function found(
  id: string,
  answer: { permissionship: v1.LookupPermissionship; partialCaveatInfo?: v1.PartialCaveatInfo },
): Found {
  const isConditional = answer.permissionship === v1.LookupPermissionship.CONDITIONAL_PERMISSION
  return {
    id,
    permissionship: isConditional ? 'conditional' : 'hasPermission',
    missing: isConditional ? missingOf(answer.partialCaveatInfo) : [],
  }
}

/** Two answers about one id are two ways to it: either will do, and where both depend on something, on all of that. */
function merged<T extends Found>(one: T, other: T): T {
  if (one.permissionship === 'hasPermission') return one
  if (other.permissionship === 'hasPermission') return other
  return { ...one, missing: [...new Set([...one.missing, ...other.missing])].sort() }
}

/** The same of subjects: who is excluded from everyone is so if both exclude them. */
function mergedSubjects(one: FoundSubject, other: FoundSubject): FoundSubject {
  const ids = new Set([...one.excluded, ...other.excluded].map(({ id }) => id))
  const excluded = [...ids].sort().flatMap((id) => {
    const [here, there] = [withinEveryone(one, id), withinEveryone(other, id)]
    const within = here && there ? merged(here, there) : (here ?? there)
    if (!within) return [{ id, permissionship: 'hasPermission' as const, missing: [] }]
    return within.permissionship === 'hasPermission' ? [] : [within]
  })
  return { ...merged(one, other), excluded }
}

/** Whether an id is had by an answer about everyone; undefined where it is excluded for certain. */
function withinEveryone({ permissionship, missing, excluded }: FoundSubject, id: string): Found | undefined {
  const exclusion = excluded.find((found) => found.id === id)
  if (!exclusion) return { id, permissionship, missing }
  if (exclusion.permissionship === 'hasPermission') return undefined
  return { id, permissionship: 'conditional', missing: [...new Set([...missing, ...exclusion.missing])].sort() }
}

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}

/** The `limit` smallest ids after one, and whether there are more. */
class SmallestPage<T extends { id: string }> {
  readonly #limit: number
  readonly #after: string | undefined
  #kept = new Map<string, T>()
  #bound: string | undefined

  constructor(limit: number, after: string | undefined) {
    this.#limit = limit
    this.#after = after
  }

  add(item: T, merge: (one: T, other: T) => T): void {
    if (this.#after !== undefined && item.id <= this.#after) return
    if (this.#bound !== undefined && item.id > this.#bound) return
    const known = this.#kept.get(item.id)
    this.#kept.set(item.id, known ? merge(known, item) : item)
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
  const sorted = Object.entries(question).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 16)
}

function writeCursor({ question, after, token }: Cursor): string {
  return Buffer.from(JSON.stringify([question, after, token])).toString('base64url')
}

function readCursor(text: string | undefined, question: object): Cursor | undefined {
  if (text === undefined) return undefined
  const parts = partsOf(text)
  if (parts?.[0] !== fingerprint(question)) {
    throw new PermissionFault('cursor-mismatch', 'The cursor is of another question.', 'cursor')
  }
  const [fingerprinted, after, token] = parts
  return { question: fingerprinted, after, token }
}

function partsOf(text: string): [string, string, string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    const isCursor = Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string')
    return isCursor ? (parts as [string, string, string]) : undefined
  } catch {
    return undefined
  }
}
