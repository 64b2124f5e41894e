import type { Reason } from './reason.ts'
import type { SchemaDifference, SchemaReflection } from './reflection.ts'
import type {
  CaveatContext,
  ObjectReference,
  Precondition,
  Relationship,
  RelationshipCaveat,
  RelationshipFilter,
  RelationshipUpdate,
  SubjectReference,
} from './relationship.ts'
import type { Trace } from './trace.ts'

/** A moment of the whole graph, opaque: SpiceDB's ZedToken. */
export type Token = string

/** How old an answer may be. `minimizeLatency` unless told. */
export type Consistency =
  | { kind: 'minimizeLatency' }
  | { kind: 'atLeastAsFresh'; token: Token }
  | { kind: 'atExactSnapshot'; token: Token }
  | { kind: 'fullyConsistent' }

/** `conditional` needs values of caveat parameters that nobody gave. */
export type Permissionship = 'hasPermission' | 'noPermission' | 'conditional'

/** One question: may the subject do this to the resource? */
export interface CheckQuestion {
  resource: ObjectReference
  /** A permission, or a relation. */
  permission: string
  subject: SubjectReference
  context?: CaveatContext
}

/** Its answer; `missing` are the names of parameters, sorted, where it is conditional. */
export interface CheckVerdict {
  permissionship: Permissionship
  missing: string[]
}

export interface CheckAnswer extends CheckVerdict {
  checkedAt: Token
  /**
   * Where it is conditional: what is left to be found out, as one CEL expression over the missing names. Left out where
   * the engine cannot tell, or where it would be too long.
   */
  residual?: string
  /** With its trace: why it is so, as one word. Left out where the trace does not tell, or the engine cannot. */
  reason?: Reason
  /** Where it was asked for: worked out anew, never from a cache. */
  trace?: Trace
}

/** One of many; a fault is told in its place and spoils no other. */
export type BulkAnswer = CheckVerdict | { fault: { code: string; message: string; field?: string } }

export interface BulkAnswers {
  answers: BulkAnswer[]
  checkedAt: Token
}

/** Of which relationships and operators is a permission of a resource made? */
export interface ExpandQuestion {
  resource: ObjectReference
  /** A permission, or a relation. */
  permission: string
}

/** A subject as it stands in a relation, and under what it counts there. */
export interface ExpandedSubject {
  subject: SubjectReference
  caveat?: RelationshipCaveat
  /** In milliseconds since 1970. */
  expiresAt?: number
}

/**
 * One level of each relation: permissions are followed on the resource and across arrows, and subjects such as
 * `group:staff#member` stand for themselves. The caveat and expiration of a node are those of the arrow that led to it.
 */
export interface PermissionTree extends Pick<ExpandedSubject, 'caveat' | 'expiresAt'> {
  resource: ObjectReference
  /** A permission or a relation; of parts of an expression that which they are parts of. */
  permission: string
  node:
    | { kind: 'union' | 'intersection' | 'exclusion'; children: PermissionTree[] }
    /** The subjects of a relation, ordered by type, id and relation. */
    | { kind: 'leaf'; subjects: ExpandedSubject[] }
}

export interface ExpandAnswer {
  tree: PermissionTree
  expandedAt: Token
}

/** Which objects of a type may the subject do this to? */
export interface ResourcesQuestion {
  resourceType: string
  permission: string
  subject: SubjectReference
  context?: CaveatContext
  /** At most 1000. */
  limit: number
  /** Of the page before; only together with the same question. */
  cursor?: string
}

/** Ordered by id, none twice, none without permission. */
export interface ResourcesPage {
  items: { id: string; permissionship: 'hasPermission' | 'conditional'; missing: string[] }[]
  /** Left out with the last page. */
  cursor?: string
  lookedUpAt: Token
  /** That groups went round in a circle somewhere on the way. */
  hasCycle: boolean
  /** How many permissions and relations of objects were looked at for the page; left out where the engine cannot tell. */
  visited?: number
}

/** Which subjects of a type, or of a relation of that type, may do this to the resource? */
export interface SubjectsQuestion {
  resource: ObjectReference
  permission: string
  subjectType: string
  subjectRelation?: string
  context?: CaveatContext
  /** Whether `*` is told; so unless it is `exclude`. */
  wildcards?: 'include' | 'exclude'
  limit: number
  cursor?: string
}

export interface FoundSubject {
  /** `*` is everyone but the excluded. */
  id: string
  permissionship: 'hasPermission' | 'conditional'
  missing: string[]
  /** Of `*` only. */
  excluded: { id: string; permissionship: 'hasPermission' | 'conditional'; missing: string[] }[]
}

/** Ordered by id, `*` first; whoever is found besides the wildcard is told too. */
export interface SubjectsPage {
  items: FoundSubject[]
  cursor?: string
  lookedUpAt: Token
  hasCycle: boolean
  visited?: number
}

export interface RelationshipsPage {
  /** Ordered by resource, relation and subject. */
  items: Relationship[]
  cursor?: string
  readAt: Token
}

/** One commit as watchers see it. */
export interface WatchEvent {
  token: Token
  updates: { operation: 'touch' | 'delete'; relationship: Relationship }[]
  /** The schema was changed in it. */
  isSchemaChange: boolean
  /** Nothing of what is watched was changed up to here: a moment to begin from again. Not every engine tells these. */
  isCheckpoint?: true
}

/** What may be watched: all of it unless told. */
export interface WatchFilter {
  resourceTypes?: string[]
  relationships?: RelationshipFilter[]
}

/** Who made a change: a person, or an application for itself. */
export interface Author {
  kind: 'user' | 'client'
  id: string
}

/**
 * Called with what a write changed before it is done for good, so that neither is without the other. `within` is the
 * transaction of the database where the engine writes in one, and what is thrown undoes the write; an engine that
 * writes elsewhere calls it without, right after the write.
 */
export type Recorder<Change> = (change: Change, within?: unknown) => Promise<void>

export interface WriteOptions<Change> {
  /** For the history; nobody where the service itself does it. */
  by?: Author
  record?: Recorder<Change>
}

/**
 * What became of relationships: as they were, and as they are. Those that a write left as they were are in neither. Both
 * hold the first 1000; the counts are of all.
 */
export interface RelationshipChange {
  before: Relationship[]
  after: Relationship[]
  removed: number
  /** Added, or changed in their caveat or expiration. */
  written: number
}

/** The text of the schema as it was and as it is. */
export interface SchemaChange {
  before: string
  after: string
}

/** How far an engine has come; null is what it cannot tell. */
export interface EngineStatus {
  /** Of the newest commit that is known. */
  revision: Token
  /** How far behind that the answers of this process are. */
  lag: { commits: number; milliseconds: number } | null
  /** How many relationships have a resource of the type, for every type of the schema. */
  counts: { type: string; relationships: number }[] | null
}

/** Something that happened to a relationship. `changed` is another caveat, context or expiration. */
export interface HistoryEntry {
  operation: 'added' | 'changed' | 'removed'
  relationship: Relationship
  /** In milliseconds since 1970. */
  at: number
  by: Author | null
  token: Token
}

/** What is to be thought otherwise than it is; at most 1000 each, and none of them twice. */
export interface WhatIf {
  /** Thought to be there, in the place of those that are with another caveat or expiration. */
  add?: Relationship[]
  /** Thought not to be there; missing is fine. */
  remove?: Relationship[]
  /** The text of a schema that is thought to be in force. What is stored and does not fit it is left out. */
  schema?: string
}

/** How many stored relationships were left out, since they do not fit the schema that was supposed. */
interface LeftOut {
  leftOut: number
}

/**
 * Questions about the graph as it would be, asked as any other but not `atExactSnapshot`, which is `what-if-past`.
 * Cursors go together with what was supposed.
 */
export interface Supposition {
  /** With the schema that was supposed, if one was. */
  reflectSchema(): Promise<SchemaReflection>
  check(...asked: Parameters<PermissionEngine['check']>): Promise<CheckAnswer & LeftOut>
  checkBulk(...asked: Parameters<PermissionEngine['checkBulk']>): Promise<BulkAnswers & LeftOut>
  lookupResources(...asked: Parameters<PermissionEngine['lookupResources']>): Promise<ResourcesPage & LeftOut>
  lookupSubjects(...asked: Parameters<PermissionEngine['lookupSubjects']>): Promise<SubjectsPage & LeftOut>
  expand(...asked: Parameters<PermissionEngine['expand']>): Promise<ExpandAnswer & LeftOut>
  /** With more besides; what is supposed later counts. */
  suppose(more: Pick<WhatIf, 'add' | 'remove'>): Supposition
}

/**
 * Answers questions about permissions from a schema and relationships. Every method rejects with a `PermissionFault`
 * for what its caller can mend.
 */
export interface PermissionEngine {
  kind: 'embedded' | 'spicedb'
  /** Of the engine, to be shown. */
  version: string

  readSchema(): Promise<{ text: string; readAt: Token }>
  /** Rejects with `schema-invalid`, or `schema-in-use` where relationships would lose what they stand on. */
  writeSchema(text: string, options?: WriteOptions<SchemaChange>): Promise<{ writtenAt: Token }>
  reflectSchema(): Promise<SchemaReflection>
  /** What `text` would change, in meaning rather than in spelling. */
  diffSchema(text: string): Promise<SchemaDifference[]>

  check(question: CheckQuestion, options?: { consistency?: Consistency; withTrace?: boolean }): Promise<CheckAnswer>
  /** At most 1000, answered in their order, all at one moment. */
  checkBulk(questions: CheckQuestion[], options?: { consistency?: Consistency }): Promise<BulkAnswers>
  lookupResources(question: ResourcesQuestion, options?: { consistency?: Consistency }): Promise<ResourcesPage>
  lookupSubjects(question: SubjectsQuestion, options?: { consistency?: Consistency }): Promise<SubjectsPage>
  /** Rejects with `depth-exceeded`, also where it goes in a circle, and with `graph-too-large`. */
  expand(question: ExpandQuestion, options?: { consistency?: Consistency }): Promise<ExpandAnswer>

  /** With `expiresBefore`, in milliseconds since 1970, those alone that run out before that. */
  readRelationships(
    filter: RelationshipFilter,
    page: { limit: number; cursor?: string; expiresBefore?: number },
    options?: { consistency?: Consistency },
  ): Promise<RelationshipsPage>
  /** At most 1000 updates and 1000 preconditions; all or nothing. */
  writeRelationships(
    updates: RelationshipUpdate[],
    preconditions?: Precondition[],
    options?: WriteOptions<RelationshipChange>,
  ): Promise<{ writtenAt: Token }>
  /** Deletes at most `limit`, all unless told; `isComplete` tells whether none is left. */
  deleteRelationships(
    filter: RelationshipFilter,
    options?: { limit?: number; preconditions?: Precondition[] } & WriteOptions<RelationshipChange>,
  ): Promise<{ deletedAt: Token; deleted: number; isComplete: boolean }>
  /** Every commit after `from`, in order, without end until the signal. */
  watch(from: Token | undefined, filter: WatchFilter, signal: AbortSignal): AsyncIterable<WatchEvent>

  status(): Promise<EngineStatus>

  /** What follows an engine may lack. SpiceDB has none of it. */

  /** Answers as if something were otherwise, and writes nothing. What is wrong with `whatIf` is told with the answers. */
  suppose?(whatIf: WhatIf): Supposition
  /** The ids of a type that begin so, of resources and of subjects, in order; `*` is none. */
  completeIds?(type: string, prefix: string, limit: number): Promise<string[]>
  /** What happened to the relationships that fit, newest first, for as long as that is kept. */
  history?(
    filter: RelationshipFilter,
    page: { limit: number; cursor?: string },
  ): Promise<{ items: HistoryEntry[]; cursor?: string }>
  /** Writes the schema, where it is given, and touches all the relationships, however many, at one moment or not at all. */
  load?(
    content: { schema?: string; relationships: Relationship[] },
    options?: WriteOptions<RelationshipChange & { schema?: SchemaChange }>,
  ): Promise<{ writtenAt: Token }>

  close(): Promise<void>
}
