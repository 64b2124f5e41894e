import type { SchemaDifference, SchemaReflection } from './reflection.ts'
import type {
  CaveatContext,
  ObjectReference,
  Precondition,
  Relationship,
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
  /** Where it was asked for: worked out anew, never from a cache. */
  trace?: Trace
}

/** One of many; a fault is told in its place and spoils no other. */
export type BulkAnswer = CheckVerdict | { fault: { code: string; message: string; field?: string } }

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
}

/** What may be watched: all of it unless told. */
export interface WatchFilter {
  resourceTypes?: string[]
  relationships?: RelationshipFilter[]
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
  writeSchema(text: string): Promise<{ writtenAt: Token }>
  reflectSchema(): Promise<SchemaReflection>
  /** What `text` would change, in meaning rather than in spelling. */
  diffSchema(text: string): Promise<SchemaDifference[]>

  check(question: CheckQuestion, options?: { consistency?: Consistency; withTrace?: boolean }): Promise<CheckAnswer>
  /** At most 1000, answered in their order, all at one moment. */
  checkBulk(
    questions: CheckQuestion[],
    options?: { consistency?: Consistency },
  ): Promise<{ answers: BulkAnswer[]; checkedAt: Token }>
  lookupResources(question: ResourcesQuestion, options?: { consistency?: Consistency }): Promise<ResourcesPage>
  lookupSubjects(question: SubjectsQuestion, options?: { consistency?: Consistency }): Promise<SubjectsPage>

  readRelationships(
    filter: RelationshipFilter,
    page: { limit: number; cursor?: string },
    options?: { consistency?: Consistency },
  ): Promise<RelationshipsPage>
  /** At most 1000 updates and 1000 preconditions; all or nothing. */
  writeRelationships(updates: RelationshipUpdate[], preconditions?: Precondition[]): Promise<{ writtenAt: Token }>
  /** Deletes at most `limit`, all unless told; `isComplete` tells whether none is left. */
  deleteRelationships(
    filter: RelationshipFilter,
    options?: { limit?: number; preconditions?: Precondition[] },
  ): Promise<{ deletedAt: Token; deleted: number; isComplete: boolean }>
  /** Every commit after `from`, in order, without end until the signal. */
  watch(from: Token | undefined, filter: WatchFilter, signal: AbortSignal): AsyncIterable<WatchEvent>

  close(): Promise<void>
}
