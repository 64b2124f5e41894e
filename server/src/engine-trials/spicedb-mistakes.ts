import { parseSchema } from '@passport/permissions/parse'
import type { PlanNode } from '@passport/permissions/plan'
import type { Relationship, SubjectReference } from '@passport/permissions/relationship'
import type { AllowedSubject } from '@passport/permissions/schema'
import { SubjectsEvaluator } from '@passport/permissions/subjects-evaluator'
import type { Question, World } from './arbitrary-permissions.ts'
import { type Answer, ask, readSubject } from './ask.ts'
import { createMemoryEngine, type MemoryEngine } from './memory-engine.ts'

/**
 * The answer of our core with the mistakes of SpiceDB 1.54 put in. Whatever SpiceDB answers so differs from ours by those
 * mistakes and by nothing else.
 */
export async function answerWithMistakes(
  { schema, relationships }: Pick<World, 'schema' | 'relationships'>,
  question: Question,
): Promise<Answer> {
  if (question.ask === 'subjects') {
    const engine = await coreOn(schema, relationships)
    return withSelfOfAnyType(readSubject(question.subject), () => ask(engine, question, 1000))
  }
  if (question.ask !== 'check' && question.ask !== 'resources') return { fails: 'No mistakes are known of this.' }
  const misread = misreadRelationships(schema, relationships, readSubject(question.subject))
  return ask(await coreOn(schema, misread), question, 1000)
}

/** Our core with a schema and relationships. */
export async function coreOn(schema: string, relationships: Relationship[]): Promise<MemoryEngine> {
  const engine = createMemoryEngine()
  await engine.writeSchema(schema)
  await engine.writeRelationships(relationships.map((relationship) => ({ operation: 'touch', relationship })))
  return engine
}

/**
 * To know whether a check needs to read caveats and expirations of the relationships that lead to the subject itself or
 * to everyone of its type, SpiceDB compares the number of such kinds of subject that a relation allows with the number of
 * those without a condition, and counts all relations of the type among the latter (`checkDirect` in
 * `internal/graph/check.go`). For `group#member | group with only_friday` both are 1: then relationships with caveats
 * are left out, and expired ones count.
 */
function misreadRelationships(schema: string, relationships: Relationship[], asked: SubjectReference): Relationship[] {
  const allowed = new Map(
    parseSchema(schema).definitions.flatMap(({ name, relations }) =>
      relations.map((relation) => [`${name}#${relation.name}`, relation.allowed] as const),
    ),
  )
  return relationships.flatMap((relationship) => {
    const { resource, relation, subject, caveat, expiresAt } = relationship
    const isEveryone = subject.id === '*'
    const isDirect = subject.type === asked.type && (isEveryone || subject.relation === asked.relation)
    if (!isDirect) return [relationship]
    const { caveats, expiration } = overlooked(allowed.get(`${resource.type}#${relation}`) ?? [], asked)
    // A set is found again among those that are gone into, with its caveat.
    if (caveats && caveat && (isEveryone || asked.relation === undefined)) return []
    if (!expiration || expiresAt === undefined) return [relationship]
    const { expiresAt: _, ...lasting } = relationship
    return [{ ...lasting, expiresAt: Date.UTC(2999, 0, 1) }]
  })
}

function overlooked(allowed: AllowedSubject[], asked: SubjectReference): { caveats: boolean; expiration: boolean } {
  const ofType = allowed.filter(({ type }) => type === asked.type)
  const direct = ofType.filter(({ relation, isWildcard }) => isWildcard || relation === asked.relation).length
  return {
    caveats: ofType.filter(({ caveat }) => caveat === undefined).length === direct,
    expiration: ofType.filter(({ hasExpiration }) => !hasExpiration).length === direct,
  }
}

/** LookupSubjects of SpiceDB finds the object itself at `self` whatever type is looked for. */
async function withSelfOfAnyType<T>({ type, relation = '' }: SubjectReference, body: () => Promise<T>): Promise<T> {
  const evaluator = SubjectsEvaluator.prototype
  const right = evaluator['self']
  evaluator['self'] = function (_node: PlanNode, object: number) {
    const { names } = this.graph
    return this['itself']({ type: names.find(type), relation: names.find(relation) } as PlanNode, object)
  }
  try {
    return await body()
  } finally {
    evaluator['self'] = right
  }
}
