/*
 * What server, web and measurements import. `compile` and `validation-file` are entries of their own, because they load
 * a library: CEL or YAML.
 */
export { readValue, WrongValue } from './caveats/caveat-context.ts'
export { compileCaveatOnce } from './caveats/compiled-caveats.ts'
export { compileAsNeeded } from './compile-as-needed.ts'
export type {
  Author,
  BulkAnswer,
  BulkAnswers,
  CheckAnswer,
  CheckQuestion,
  CheckVerdict,
  Consistency,
  ExpandAnswer,
  ExpandedSubject,
  ExpandQuestion,
  FoundSubject,
  PermissionEngine,
  Permissionship,
  PermissionTree,
  Recorder,
  RelationshipChange,
  RelationshipsPage,
  ResourcesPage,
  ResourcesQuestion,
  SchemaChange,
  SubjectsPage,
  SubjectsQuestion,
  Token,
  WatchEvent,
  WatchFilter,
  WhatIf,
  WhatIfEngine,
  WriteOptions,
} from './engine.ts'
export { Budget, maxSteps } from './evaluate/budget.ts'
export { check, type EvaluationOptions } from './evaluate/check.ts'
export { type Decision, extractDecision } from './evaluate/decision.ts'
export type { Cycles } from './evaluate/evaluator.ts'
export { expand } from './evaluate/expand.ts'
export { findGrantingChains } from './evaluate/granting-chains.ts'
export { getPlan } from './evaluate/plan.ts'
export { reasons } from './evaluate/reason.ts'
export type { Trace } from './evaluate/trace.ts'
export { validateCheck, validateResource } from './evaluate/validate-question.ts'
export { CycleFault, type FaultCode, PermissionFault, SchemaFault, type SchemaProblem } from './fault.ts'
export { type ExactFilter, toExactFilter } from './graph/exact-filter.ts'
export { findInvalidEdges } from './graph/find-invalid-edges.ts'
export type { Graph } from './graph/graph.ts'
export { MemoryGraph } from './graph/memory-graph.ts'
export { Names } from './graph/name-numbers.ts'
export { matchesFilter, type ReadPage } from './graph/read-relationships.ts'
export type {
  CaveatContext,
  ObjectReference,
  Precondition,
  Relationship,
  RelationshipFilter,
  RelationshipUpdate,
  SubjectReference,
} from './graph/relationship.ts'
export { malformedName, unknownMember, unknownType } from './graph/relationship-names.ts'
export { parseRelationship, printQuestion, printRelationship } from './graph/relationship-text.ts'
export {
  checkFilterNotEmpty,
  checkPreconditionsNotEmpty,
  validateFilter,
  validatePreconditions,
} from './graph/validate-filter.ts'
export { isAllowedBySchema, validateRelationship } from './graph/validate-relationship.ts'
export { applyWhatIf } from './graph/what-if.ts'
export { lookupResources } from './lookup/lookup-resources.ts'
export { lookupSubjects } from './lookup/lookup-subjects.ts'
export { diffSchemas } from './schema/diff.ts'
export { isObjectId, isRelationName, isTypeName } from './schema/names.ts'
export { parseSchema } from './schema/parse.ts'
export { printCaveatType, printExpression, printSchema } from './schema/print.ts'
export { reflectSchema } from './schema/reflect.ts'
export type { SchemaDifference, SchemaReflection } from './schema/reflection.ts'
export type {
  AllowedSubject,
  CaveatDeclaration,
  CaveatParameter,
  Definition,
  Expression,
  Relation,
  Schema,
  SchemaText,
} from './schema/schema.ts'
export { type SchemaToken, type TokenKind, tokenize } from './schema/tokens.ts'
