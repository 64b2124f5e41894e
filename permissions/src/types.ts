/* The exports that are only types; the contract checks its schemas against them. */
export type * from './engine.ts'
export type { Reason } from './evaluate/reason.ts'
export type { Permissionship, Trace } from './evaluate/trace.ts'
export type {
  CaveatContext,
  ObjectReference,
  Precondition,
  Relationship,
  RelationshipFilter,
  RelationshipUpdate,
  SubjectReference,
} from './graph/relationship.ts'
export type { SchemaDifference } from './schema/diff.ts'
export type { AllowedSubject, CaveatParameter, CaveatType } from './schema/schema.ts'
