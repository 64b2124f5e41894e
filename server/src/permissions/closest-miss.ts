import type { CheckAnswer, CheckQuestion, CheckVerdict, PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { SchemaReflection } from '@passport/permissions/reflection'
import type { Relationship, SubjectReference } from '@passport/permissions/relationship'
import { printRelationship } from '@passport/permissions/relationship-text'
import type { Trace } from '@passport/permissions/trace'
import { deadlineIn, takingTurns } from './turns.ts'

/** One relationship that turns the answer round, and the answer then. */
export interface Miss {
  change: 'add' | 'remove'
  relationship: Relationship
  verdict: CheckVerdict
}

type Candidate = Pick<Miss, 'change' | 'relationship'>

/** More are not tried: an answer that rests on thousands of relationships hangs on no single one of them. */
const maxTried = 200
const maxTold = 10
const maxMs = 3000

/**
 * Finds the single relationships that would turn the answer round: from no to yes, or from yes to no. What could is read
 * off the trace, and each is tried before it is told; those nearest to the resource come first.
 */
export async function findMisses(
  engine: PermissionEngine,
  question: CheckQuestion,
  isOver = deadlineIn(maxMs),
): Promise<{ answer: CheckAnswer; misses: Miss[] }> {
  const answer = await engine.check(question, { consistency: { kind: 'fullyConsistent' }, withTrace: true })
  const schema = await engine.reflectSchema()
  const candidates = answer.trace ? candidatesOf(answer.trace, question.subject, schema) : []
  const misses: Miss[] = []
  const takeTurns = takingTurns()
  for (const candidate of candidates.slice(0, maxTried)) {
    if (isOver()) break
    await takeTurns()
    const verdict = await tryOut(engine, question, candidate)
    if (verdict && isTurned(answer, verdict)) misses.push({ ...candidate, verdict })
    if (misses.length >= maxTold) break
  }
  return { answer, misses }
}

/** A no turns into anything better, a yes into a no, and what depends into either. */
function isTurned({ permissionship: before }: CheckVerdict, { permissionship: after }: CheckVerdict): boolean {
  return before === 'hasPermission' ? after === 'noPermission' : after !== before
}

async function tryOut(
  engine: PermissionEngine,
  question: CheckQuestion,
  { change, relationship }: Candidate,
): Promise<CheckVerdict | undefined> {
  const [added, removed] = change === 'add' ? [[relationship], []] : [[], [relationship]]
  try {
    const { permissionship, missing } = (await engine.suppose?.({ added, removed }).check(question)) ?? {}
    return permissionship && missing && { permissionship, missing }
  } catch (error) {
    // What cannot be written, or leads too deep, is no way.
    if (error instanceof PermissionFault) return undefined
    throw error
  }
}

/** What was looked at on the way, level by level: a relation may get the subject, a stored relationship may go. */
function candidatesOf(trace: Trace, subject: SubjectReference, schema: SchemaReflection): Candidate[] {
  const found = new Map<string, Candidate>()
  for (let level = [trace]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    for (const candidate of level.flatMap((node) => candidatesAt(node, subject, schema))) {
      const key = `${candidate.change} ${printRelationship(candidate.relationship)}`
      if (!found.has(key)) found.set(key, candidate)
    }
  }
  return [...found.values()]
}

/** A permission that is another name for a relation is told as that permission, without a step of its own. */
function relationBehind({ relations, permissions }: SchemaReflection['definitions'][number], name: string) {
  const permission = permissions.find((one) => one.name === name)
  // No schema has permissions that go in a circle.
  for (let alias = permission; alias; alias = permissions.find((one) => one.name === name)) name = alias.expression
  return relations.find((one) => one.name === name)
}

function candidatesAt({ resource, step }: Trace, subject: SubjectReference, schema: SchemaReflection): Candidate[] {
  if (step.kind === 'relationship') return [{ change: 'remove', relationship: step.relationship }]
  if (step.kind !== 'relation' && step.kind !== 'permission') return []
  const definition = schema.definitions.find(({ name }) => name === resource.type)
  const relation = definition && relationBehind(definition, step.name)
  if (!relation) return []
  return relation.allowed
    .filter(
      ({ type, relation, isWildcard, hasExpiration }) =>
        type === subject.type && relation === subject.relation && !isWildcard && !hasExpiration,
    )
    .map(({ caveat }) => ({
      change: 'add' as const,
      relationship: { resource, relation: relation.name, subject, ...(caveat && { caveat: { name: caveat } }) },
    }))
}
