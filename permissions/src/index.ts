// `compile` and `validation-file` are separate entries, because each loads a library.
export { compileCaveatOnce } from './caveats/compiled-caveats.ts'
export { CycleError, type ErrorCode, PermissionError, SchemaError, type SchemaProblem } from './error.ts'
export { Budget, maxSteps } from './evaluate/budget.ts'
export { check } from './evaluate/check.ts'
export { findExclusion, findGrantingChains } from './evaluate/decision.ts'
export type { Cycles, EvaluationOptions } from './evaluate/evaluation.ts'
export { expand } from './evaluate/expand.ts'
export { getPlan } from './evaluate/plan.ts'
export { validateCheck, validateResource } from './evaluate/validate-request.ts'
export { type Graph, Names } from './graph/graph.ts'
export { MemoryGraph } from './graph/memory-graph.ts'
export { matchesFilter, type ReadPage } from './graph/read-relationships.ts'
export { type ExactFilter, toExactFilter } from './graph/relationship.ts'
export { parseRelationship, printCheck, printRelationship } from './graph/relationship-text.ts'
export {
  checkFilterNotEmpty,
  checkPreconditionsNotEmpty,
  isAllowedBySchema,
  malformedName,
  unknownMember,
  unknownType,
  validateFilter,
  validatePreconditions,
  validateRelationship,
} from './graph/validate.ts'
export { applyWhatIf, findInvalidEdges } from './graph/what-if.ts'
export { lookupResources, lookupSubjects } from './lookup/lookup.ts'
export { compileAsNeeded } from './schema/compile-as-needed.ts'
export { diffSchemas } from './schema/diff.ts'
export { isObjectId, isRelationName, isTypeName } from './schema/names.ts'
export { parseSchema } from './schema/parse.ts'
export { printAllowed, printCaveatType, printExpression, printSchema } from './schema/print.ts'
export { reflectSchema, type SchemaReflection } from './schema/reflect.ts'
export {
  type CaveatDeclaration,
  collectLeaves,
  type Definition,
  type Expression,
  type Relation,
  type Schema,
  type SchemaText,
} from './schema/schema.ts'
export { type SchemaToken, type TokenKind, tokenize } from './schema/tokens.ts'
export type * from './types.ts'
