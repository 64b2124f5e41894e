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

/** The result of a check. If it is conditional, `missing` has the sorted names of the missing parameters. */
export interface CheckVerdict {
  permissionship: Permissionship
  missing: string[]
}

/** An object or subject found by a lookup: it has the permission, or has it under a condition. */
export interface FoundVerdict extends CheckVerdict {
  id: string
  permissionship: 'hasPermission' | 'conditional'
}

export interface CheckResult extends CheckVerdict {
  checkedAt: Token
  /**
   * For a conditional result: the residual condition as a CEL expression over the missing names. Omitted if the engine
   * cannot compute it, or if it would be too long.
   */
  residual?: string
  /**
   * With a trace: the reason as one of `reasons`. Omitted if the trace is inconclusive or the engine has no reasons.
   */
  reason?: Reason
  /** Only on request; always evaluated afresh, never from a cache. */
  trace?: Trace
}

/** One result of a bulk check. An error is reported in its place and does not affect the other results. */
export type BulkCheckItem = CheckVerdict | { error: { code: string; message: string; field?: string | undefined } }

export interface BulkCheckResult {
  results: BulkCheckItem[]
  checkedAt: Token
}

/** A request for the relationships and operators that define a permission of a resource. */
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

/** A page of objects, sorted by id. Omits objects without the permission. */
export interface ResourcesPage {
  items: FoundVerdict[]
  /** Omitted on the last page. */
  cursor?: string
  lookedUpAt: Token
  /** Whether the evaluation met a cycle of usersets. */
  hasCycle: boolean
  /** The number of evaluated permissions and relations of objects; omitted if the engine does not count them. */
  visited?: number
}

/** A lookup of the subjects of a type that have the permission on the resource; with `subjectRelation`, of usersets. */
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

/** A found subject. `*` is every subject of the type except `excluded`, which is empty for other subjects. */
export interface FoundSubject extends FoundVerdict {
  excluded: FoundVerdict[]
}

/** A page of subjects, sorted by id after `*`. Lists a subject besides `*` if it has the permission on its own. */
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
  /** A checkpoint without updates: a watch can resume from this token. Only some engines send checkpoints. */
  isCheckpoint?: true
}

/** The actor of a change: a user, or a client acting on its own behalf. */
export interface Author {
  kind: 'user' | 'client'
  id: string
}

/**
 * Records the change of a write, in the same database transaction: throwing rolls the write back. An engine without
 * transactions calls it right after the write, without `transaction`.
 */
export type Recorder<Change> = (change: Change, transaction?: unknown) => Promise<void>

export interface WriteOptions<Change> {
  /** The actor in the history; omitted for the service itself. */
  by?: Author | undefined
  record?: Recorder<Change>
}

/**
 * The relationships that a write changed, before and after. Each list has the first 1000; the counts cover all changes.
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

/** The state of an engine. A part that the engine cannot report is null. */
export interface EngineStatus {
  /** The revision of the newest known commit. */
  revision: Token
  /** The lag of this process behind the database. */
  lag: { commits: number; milliseconds: number } | null
  /** The number of relationships per resource type, for every type of the schema. */
  counts: { type: string; relationships: number }[] | null
}

/** A change of a relationship. With `changed`, only its caveat, context or expiration is new. */
export interface HistoryEntry {
  operation: 'added' | 'changed' | 'removed'
  relationship: Relationship
  /** In Unix milliseconds. */
  at: number
  by: Author | null
  token: Token
}

/** Hypothetical changes: at most 1000 additions and 1000 removals, without duplicates. */
export interface WhatIf<Instant = number> {
  /** Relationships to add, replacing those with another caveat or expiration. */
  add?: Relationship<Instant>[]
  /** Relationships to remove; missing ones are ignored. */
  remove?: Relationship<Instant>[]
  /** The text of a hypothetical schema. Stored relationships that it does not allow are ignored. */
  schema?: string
}

interface IgnoredCount {
  /** The number of stored relationships that the hypothetical schema does not allow. */
  leftOut: number
}

/**
 * Evaluates requests with hypothetical changes. Rejects `atExactSnapshot` with `what-if-past`. A cursor is valid only
 * with the same changes.
 */
export interface WhatIfEngine {
  /** Returns the hypothetical schema, or the stored one if none is given. */
  reflectSchema(): Promise<SchemaReflection>
  check(...args: Parameters<PermissionEngine['check']>): Promise<CheckResult & IgnoredCount>
  checkBulk(...args: Parameters<PermissionEngine['checkBulk']>): Promise<BulkCheckResult & IgnoredCount>
  lookupResources(...args: Parameters<PermissionEngine['lookupResources']>): Promise<ResourcesPage & IgnoredCount>
  lookupSubjects(...args: Parameters<PermissionEngine['lookupSubjects']>): Promise<SubjectsPage & IgnoredCount>
  expand(...args: Parameters<PermissionEngine['expand']>): Promise<ExpandResult & IgnoredCount>
  /** Adds changes, which take precedence over the earlier ones. */
  whatIf(more: Pick<WhatIf, 'add' | 'remove'>): WhatIfEngine
}

/**
 * Stores a schema and relationships, and evaluates requests from them. Every method rejects with a `PermissionError`
 * for an error that the caller can fix.
 */
export interface PermissionEngine {
  kind: 'embedded' | 'spicedb'
  /** The version of the engine, for display. */
  version: string

  readSchema(): Promise<{ text: string; readAt: Token }>
  /** Rejects with `schema-invalid`, or with `schema-in-use` if the schema does not allow a stored relationship. */
  writeSchema(text: string, options?: WriteOptions<SchemaChange>): Promise<{ writtenAt: Token }>
  reflectSchema(): Promise<SchemaReflection>
  /** Returns the semantic differences between the stored schema and `text`. */
  diffSchema(text: string): Promise<SchemaDifference[]>

  check(request: CheckRequest, options?: ConsistencyOption & { withTrace?: boolean }): Promise<CheckResult>
  /** At most 1000 checks, evaluated at one revision; results are in their order. */
  checkBulk(requests: CheckRequest[], options?: ConsistencyOption): Promise<BulkCheckResult>
  lookupResources(request: LookupResourcesRequest, options?: ConsistencyOption): Promise<ResourcesPage>
  lookupSubjects(request: LookupSubjectsRequest, options?: ConsistencyOption): Promise<SubjectsPage>
  /** Rejects with `depth-exceeded`, for cycles too, and with `graph-too-large`. */
  expand(request: ExpandRequest, options?: ConsistencyOption): Promise<ExpandResult>

  /** With `expiresBefore`, a time in Unix milliseconds, returns only relationships that expire before it. */
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
  /** Deletes at most `limit` matching relationships, by default all. `isComplete` is false if some remain. */
  deleteRelationships(
    filter: RelationshipFilter,
    options?: {
      limit?: number | undefined
      preconditions?: Precondition[] | undefined
    } & WriteOptions<RelationshipChange>,
  ): Promise<{ deletedAt: Token; deleted: number; isComplete: boolean }>
  /**
   * Yields the commits after `from`, or after the call without it, in order, until the signal aborts: those that match
   * any of the filters, by default all.
   */
  watch(from: Token | undefined, filters: RelationshipFilter[], signal: AbortSignal): AsyncIterable<WatchEvent>

  status(): Promise<EngineStatus>

  // The engine for SpiceDB has none of the methods below.

  /** Evaluates as if `whatIf` were applied. The returned methods reject for an error in it. */
  whatIf?(whatIf: WhatIf): WhatIfEngine
  /** Returns the ids of the type's objects that start with the prefix, sorted, without `*`. */
  completeIds?(type: string, prefix: string, limit: number): Promise<string[]>
  /** Returns the changes of matching relationships within the retention period, newest first. */
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
