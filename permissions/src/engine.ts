import type { Reason } from './evaluate/reason.ts'
import type { Permissionship, Trace } from './evaluate/trace.ts'
import type {
  CaveatContext,
  ObjectReference,
  Precondition,
  Relationship,
  RelationshipCaveat,
  RelationshipFilter,
  RelationshipUpdate,
  SubjectReference,
} from './graph/relationship.ts'
import type { SchemaDifference } from './schema/diff.ts'
import type { SchemaReflection } from './schema/reflect.ts'

/** An opaque revision of the whole graph: SpiceDB's ZedToken. */
export type Token = string

/** The allowed staleness of a result. Default: `minimizeLatency`. */
export type Consistency =
  | { kind: 'minimizeLatency' }
  | { kind: 'atLeastAsFresh'; token: Token }
  | { kind: 'atExactSnapshot'; token: Token }
  | { kind: 'fullyConsistent' }

interface ConsistencyOption {
  consistency?: Consistency | undefined
}

/** A check: whether the subject has the permission on the resource. */
export interface CheckRequest {
  resource: ObjectReference
  /** A permission or a relation. */
  permission: string
  subject: SubjectReference
  context?: CaveatContext
}

/** The result of a check; for a conditional one, `missing` has the sorted names of the parameters. */
export interface CheckVerdict {
  permissionship: Permissionship
  missing: string[]
}

/** The result of a lookup for one object or subject, which has the permission at least on a condition. */
export interface FoundVerdict extends CheckVerdict {
  id: string
  permissionship: 'hasPermission' | 'conditional'
}

export interface CheckResult extends CheckVerdict {
  checkedAt: Token
  /**
   * For a conditional answer: the residual as one CEL expression over the missing names. Omitted if the engine cannot
   * compute it, or if it would be too long.
   */
  residual?: string
  /** With a trace: the reason as one word. Omitted if the trace is inconclusive or the engine does not support it. */
  reason?: Reason
  /** Only on request; always evaluated afresh, never from a cache. */
  trace?: Trace
}

/** One answer of a bulk check. An error is reported in its place and does not affect other answers. */
export type BulkCheckItem = CheckVerdict | { error: { code: string; message: string; field?: string | undefined } }

export interface BulkCheckResult {
  results: BulkCheckItem[]
  checkedAt: Token
}

/** A request for the relationships and operators that make up a permission of a resource. */
export interface ExpandRequest {
  resource: ObjectReference
  /** A permission or a relation. */
  permission: string
}

/** A subject of a relation, with its caveat and expiration. */
export interface ExpandedSubject<Instant = number> {
  subject: SubjectReference
  caveat?: RelationshipCaveat
  /** In Unix milliseconds, or text in the API. */
  expiresAt?: Instant
}

/**
 * A tree with one level of each relation: permissions are expanded on the resource and across arrows, but usersets such
 * as `group:staff#member` are not. A node's caveat and expiration are those of the arrow leading to it.
 */
export interface PermissionTree<Instant = number> extends Pick<ExpandedSubject<Instant>, 'caveat' | 'expiresAt'> {
  resource: ObjectReference
  /** A permission or a relation; for a part of an expression, the permission that contains it. */
  permission: string
  node:
    | { kind: 'union' | 'intersection' | 'exclusion'; children: PermissionTree<Instant>[] }
    /** The subjects of a relation, sorted by type, id and relation. */
    | { kind: 'leaf'; subjects: ExpandedSubject<Instant>[] }
}

export interface ExpandResult {
  tree: PermissionTree
  expandedAt: Token
}

/** A lookup of the objects of a type on which the subject has the permission. */
export interface LookupResourcesRequest {
  resourceType: string
  permission: string
  subject: SubjectReference
  context?: CaveatContext
  /** At most 1000. */
  limit: number
  /** The cursor of the previous page; valid only for the same request. */
  cursor?: string | undefined
}

/** Sorted by id, without duplicates or objects without permission. */
export interface ResourcesPage {
  items: FoundVerdict[]
  /** Omitted on the last page. */
  cursor?: string
  lookedUpAt: Token
  /** Whether evaluation met a cycle of groups. */
  hasCycle: boolean
  /**
   * The number of permissions and relations of objects visited for the page; omitted if the engine does not count them.
   */
  visited?: number
}

/** A lookup of the subjects of a type, or of a relation of that type, that have the permission on the resource. */
export interface LookupSubjectsRequest {
  resource: ObjectReference
  permission: string
  subjectType: string
  subjectRelation?: string
  context?: CaveatContext
  /** Whether the result may include `*`. Default: `include`. */
  wildcards?: 'include' | 'exclude'
  limit: number
  cursor?: string | undefined
}

/** `*` is everyone except the excluded subjects, which only `*` has. */
export interface FoundSubject extends FoundVerdict {
  excluded: FoundVerdict[]
}

/** Sorted by id, `*` first. Subjects found besides the wildcard are included. */
export interface SubjectsPage {
  items: FoundSubject[]
  cursor?: string
  lookedUpAt: Token
  hasCycle: boolean
  visited?: number
}

export interface RelationshipsPage {
  /** Sorted by resource, relation and subject. */
  items: Relationship[]
  cursor?: string
  readAt: Token
}

/** One commit as watchers receive it. */
export interface WatchEvent<Instant = number> {
  token: Token
  updates: { operation: 'touch' | 'delete'; relationship: Relationship<Instant> }[]
  /** Whether the commit changed the schema. */
  isSchemaChange: boolean
  /**
   * A checkpoint: no watched data changed up to this token, so a watch can resume from it. Not every engine sends them.
   */
  isCheckpoint?: true
}

/** The actor of a change: a user, or a client acting on its own behalf. */
export interface Author {
  kind: 'user' | 'client'
  id: string
}

/**
 * Called with the changes of a write before it commits, so that both happen or neither. `within` is the database
 * transaction if the engine writes in one; throwing rolls the write back. An engine without transactions calls it right
 * after the write, without `within`.
 */
export type Recorder<Change> = (change: Change, transaction?: unknown) => Promise<void>

export interface WriteOptions<Change> {
  /** Recorded in the history; omitted for the service itself. */
  by?: Author | undefined
  record?: Recorder<Change>
}

/**
 * The relationships a write changed, before and after it. Unchanged ones are in neither list. Each list holds the first
 * 1000; the counts cover all.
 */
export interface RelationshipChange {
  before: Relationship[]
  after: Relationship[]
  removed: number
  /** The number added, or changed in their caveat or expiration. */
  written: number
}

/** The text of the schema before and after the change. */
export interface SchemaChange {
  before: string
  after: string
}

/** The state of an engine; null for what it cannot report. */
export interface EngineStatus {
  /** The revision of the newest known commit. */
  revision: Token
  /** The lag of this process behind the database. */
  lag: { commits: number; milliseconds: number } | null
  /** The number of relationships per resource type, for every type of the schema. */
  counts: { type: string; relationships: number }[] | null
}

/** A change of a relationship. `changed` is a new caveat, context or expiration. */
export interface HistoryEntry {
  operation: 'added' | 'changed' | 'removed'
  relationship: Relationship
  /** In Unix milliseconds. */
  at: number
  by: Author | null
  token: Token
}

/** Hypothetical changes; at most 1000 of each, without duplicates. */
export interface WhatIf<Instant = number> {
  /** Relationships to add, replacing those with another caveat or expiration. */
  add?: Relationship<Instant>[]
  /** Relationships to remove; missing ones are ignored. */
  remove?: Relationship<Instant>[]
  /** The text of the schema to assume. Stored relationships that do not fit it are ignored. */
  schema?: string
}

/** The number of stored relationships ignored because they do not fit the assumed schema. */
interface IgnoredCount {
  leftOut: number
}

/**
 * Evaluates requests on the hypothetical graph. Rejects `atExactSnapshot` with `what-if-past`. Cursors are valid only
 * with the same hypothetical changes.
 */
export interface WhatIfEngine {
  /** Reflects the assumed schema, if one is given. */
  reflectSchema(): Promise<SchemaReflection>
  check(...args: Parameters<PermissionEngine['check']>): Promise<CheckResult & IgnoredCount>
  checkBulk(...args: Parameters<PermissionEngine['checkBulk']>): Promise<BulkCheckResult & IgnoredCount>
  lookupResources(...args: Parameters<PermissionEngine['lookupResources']>): Promise<ResourcesPage & IgnoredCount>
  lookupSubjects(...args: Parameters<PermissionEngine['lookupSubjects']>): Promise<SubjectsPage & IgnoredCount>
  expand(...args: Parameters<PermissionEngine['expand']>): Promise<ExpandResult & IgnoredCount>
  /** Adds more changes; later ones take precedence. */
  whatIf(more: Pick<WhatIf, 'add' | 'remove'>): WhatIfEngine
}

/**
 * Evaluates requests from a schema and relationships. Every method rejects with a `PermissionError` for
 * errors the caller can fix.
 */
export interface PermissionEngine {
  kind: 'embedded' | 'spicedb'
  /** The version of the engine, for display. */
  version: string

  readSchema(): Promise<{ text: string; readAt: Token }>
  /** Rejects with `schema-invalid`, or with `schema-in-use` if relationships depend on a removed element. */
  writeSchema(text: string, options?: WriteOptions<SchemaChange>): Promise<{ writtenAt: Token }>
  reflectSchema(): Promise<SchemaReflection>
  /** The semantic differences between the current schema and `text`. */
  diffSchema(text: string): Promise<SchemaDifference[]>

  check(request: CheckRequest, options?: ConsistencyOption & { withTrace?: boolean }): Promise<CheckResult>
  /** At most 1000 checks, evaluated at one revision; results are in their order. */
  checkBulk(requests: CheckRequest[], options?: ConsistencyOption): Promise<BulkCheckResult>
  lookupResources(request: LookupResourcesRequest, options?: ConsistencyOption): Promise<ResourcesPage>
  lookupSubjects(request: LookupSubjectsRequest, options?: ConsistencyOption): Promise<SubjectsPage>
  /** Rejects with `depth-exceeded`, for cycles too, and with `graph-too-large`. */
  expand(request: ExpandRequest, options?: ConsistencyOption): Promise<ExpandResult>

  /** With `expiresBefore`, in Unix milliseconds, returns only relationships that expire before that time. */
  readRelationships(
    filter: RelationshipFilter,
    page: { limit: number; cursor?: string | undefined; expiresBefore?: number | undefined },
    options?: ConsistencyOption,
  ): Promise<RelationshipsPage>
  /** At most 1000 updates and 1000 preconditions, applied atomically. */
  writeRelationships(
    updates: RelationshipUpdate[],
    preconditions?: Precondition[],
    options?: WriteOptions<RelationshipChange>,
  ): Promise<{ writtenAt: Token }>
  /** Deletes at most `limit` relationships, by default all; `isComplete` reports whether none is left. */
  deleteRelationships(
    filter: RelationshipFilter,
    options?: {
      limit?: number | undefined
      preconditions?: Precondition[] | undefined
    } & WriteOptions<RelationshipChange>,
  ): Promise<{ deletedAt: Token; deleted: number; isComplete: boolean }>
  /**
   * Yields every commit after `from`, in order, until the signal is aborted: those that match any of the filters, by
   * default all.
   */
  watch(from: Token | undefined, filters: RelationshipFilter[], signal: AbortSignal): AsyncIterable<WatchEvent>

  status(): Promise<EngineStatus>

  /** The members below are optional. SpiceDB supports none of them. */

  /** Evaluates as if `whatIf` were applied, without writing. Errors in `whatIf` are reported with the results. */
  whatIf?(whatIf: WhatIf): WhatIfEngine
  /** The ids of a type's resources and subjects that start with the prefix, sorted, without `*`. */
  completeIds?(type: string, prefix: string, limit: number): Promise<string[]>
  /** The changes of matching relationships, newest first, within the retention period. */
  history?(
    filter: RelationshipFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: HistoryEntry[]; cursor?: string }>
  /** Writes the schema, if given, and touches any number of relationships, atomically. */
  load?(
    content: { schema?: string; relationships: Relationship[] },
    options?: WriteOptions<RelationshipChange & { schema?: SchemaChange }>,
  ): Promise<{ writtenAt: Token }>

  close(): Promise<void>
}
