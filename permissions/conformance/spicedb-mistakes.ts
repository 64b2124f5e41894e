import type { PlanNode } from '../src/evaluate/plan.ts'
import type { Relationship, SubjectReference } from '../src/graph/relationship.ts'
import { SubjectsEvaluator } from '../src/lookup/subjects-evaluator.ts'
import { parseSchema } from '../src/schema/parse.ts'
import type { AllowedSubject } from '../src/schema/schema.ts'
import type { EngineRequest, World } from './arbitrary-permissions.ts'
import { evaluate, parseSubject, type Result } from './evaluate.ts'
import { createMemoryEngine, type MemoryEngine } from './memory-engine.ts'

/**
 * Evaluates a request with our core and the known mistakes of SpiceDB 1.54. If SpiceDB has the same result, those
 * mistakes explain its difference from ours.
 */
export async function evaluateWithMistakes(
  { schema, relationships }: Pick<World, 'schema' | 'relationships'>,
  request: EngineRequest,
): Promise<Result> {
  if (request.kind === 'subjects') {
    const engine = await createCore(schema, relationships)
    return withSelfOfAnyType(parseSubject(request.subject), () => evaluate(engine, request, 1000))
  }
  if (request.kind !== 'check' && request.kind !== 'resources')
    return { fails: 'No mistakes are known for this request.' }
  const affected = applyMisreading(schema, relationships, parseSubject(request.subject))
  return evaluate(await createCore(schema, affected), request, 1000)
}

/** Creates our core with a schema and relationships. */
export async function createCore(schema: string, relationships: Relationship[]): Promise<MemoryEngine> {
  const engine = createMemoryEngine()
  await engine.writeSchema(schema)
  await engine.writeRelationships(relationships.map((relationship) => ({ operation: 'touch', relationship })))
  return engine
}

/**
 * To decide whether a check must read the caveats and expirations of relationships to the subject itself or to its
 * type's wildcard, SpiceDB compares two numbers: the matching subject types that a relation allows, and those without a
 * condition. It counts all relations of the type among the latter (`checkDirect` in `internal/graph/check.go`). For
 * `group#member | group with only_friday` both are 1: then relationships with caveats are skipped, and expired ones
 * count.
 */
function applyMisreading(
  schema: string,
  relationships: Relationship[],
  querySubject: SubjectReference,
): Relationship[] {
  const allowed = new Map(
    parseSchema(schema).definitions.flatMap(({ name, relations }) =>
      relations.map((relation) => [`${name}#${relation.name}`, relation.allowed] as const),
    ),
  )
  return relationships.flatMap((relationship) => {
    const { resource, relation, subject, caveat, expiresAt } = relationship
    const isEveryone = subject.id === '*'
    const isDirect = subject.type === querySubject.type && (isEveryone || subject.relation === querySubject.relation)
    if (!isDirect) return [relationship]
    const { caveats, expiration } = findOverlooked(allowed.get(`${resource.type}#${relation}`) ?? [], querySubject)
    // SpiceDB finds a userset again when it expands usersets, with its caveat.
    if (caveats && caveat && (isEveryone || querySubject.relation === undefined)) return []
    if (!expiration || expiresAt === undefined) return [relationship]
    const { expiresAt: _, ...lasting } = relationship
    return [{ ...lasting, expiresAt: Date.UTC(2999, 0, 1) }]
  })
}

function findOverlooked(
  allowed: AllowedSubject[],
  querySubject: SubjectReference,
): { caveats: boolean; expiration: boolean } {
  const ofType = allowed.filter(({ type }) => type === querySubject.type)
  const direct = ofType.filter(({ relation, isWildcard }) => isWildcard || relation === querySubject.relation).length
  return {
    caveats: ofType.filter(({ caveat }) => caveat === undefined).length === direct,
    expiration: ofType.filter(({ hasExpiration }) => !hasExpiration).length === direct,
  }
}

/** SpiceDB's LookupSubjects returns the object itself at `self`, whatever type is looked up. */
async function withSelfOfAnyType<T>({ type, relation = '' }: SubjectReference, body: () => Promise<T>): Promise<T> {
  const evaluator = SubjectsEvaluator.prototype
  const original = evaluator['evaluateSelf']
  evaluator['evaluateSelf'] = function (_node: PlanNode, object: number) {
    const { names } = this.graph
    return this['evaluateIdentity']({ type: names.find(type), relation: names.find(relation) } as PlanNode, object)
  }
  try {
    return await body()
  } finally {
    evaluator['evaluateSelf'] = original
  }
}
