import type { CheckAnswer, CheckQuestion, CheckVerdict, PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { SchemaReflection } from '@passport/permissions/reflection'
import type { ObjectReference, Relationship, SubjectReference } from '@passport/permissions/relationship'
import { printRelationship } from '@passport/permissions/relationship-text'
import type { Trace } from '@passport/permissions/trace'
import { keyOf } from './rows.ts'
import { deadlineIn, takingTurns } from './turns.ts'

/** One relationship that turns the answer round, and the answer then. */
export interface Miss {
  change: 'add' | 'remove'
  relationship: Relationship
  verdict: CheckVerdict
}

/** Who is asked: an engine, or one under which something is supposed already. */
type Engine = Pick<PermissionEngine, 'check' | 'reflectSchema' | 'lookupResources' | 'suppose'>

type Candidate = Pick<Miss, 'change' | 'relationship'>

/** More are not tried: an answer that rests on thousands of relationships hangs on no single one of them. */
const maxTried = 200
const maxTold = 10
/** Of what the subject has already, so many of a kind and so many kinds are looked at. */
const linksOfKind = 3
const kindsOfLinks = 8
const maxMs = 3000
/** Where a relationship has to run out, one that lasts so long stands for any. */
const lastingMs = 60 * 60 * 1000

/**
 * Finds the single relationships that would turn the answer round: from no to yes, or from yes to no. What could is read
 * off the trace, on both sides of its arrows, and each is tried before it is told; those nearest to the resource come first.
 */
export async function findMisses(
  engine: Engine,
  question: CheckQuestion,
  isOver = deadlineIn(maxMs),
): Promise<{ answer: CheckAnswer; misses: Miss[] }> {
  const answer = await engine.check(question, { consistency: { kind: 'fullyConsistent' }, withTrace: true })
  const schema = await engine.reflectSchema()
  const links = answer.permissionship === 'hasPermission' ? nowhere : linksFor(engine, question)
  const candidates = answer.trace ? await candidatesOf(answer.trace, question.subject, schema, links) : []
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
  engine: Engine,
  question: CheckQuestion,
  { change, relationship }: Candidate,
): Promise<CheckVerdict | undefined> {
  const whatIf = change === 'add' ? { add: [relationship] } : { remove: [relationship] }
  try {
    const { permissionship, missing } = (await engine.suppose?.(whatIf).check(question)) ?? {}
    return permissionship && missing && { permissionship, missing }
  } catch (error) {
    // What cannot be written, or leads too deep, is no way.
    if (error instanceof PermissionFault) return undefined
    throw error
  }
}

/** What was looked at on the way, level by level: a relation may get the subject, a stored relationship may go. */
async function candidatesOf(
  trace: Trace,
  subject: SubjectReference,
  schema: SchemaReflection,
  links: FindLinks,
): Promise<Candidate[]> {
  const found = new Map<string, Candidate>()
  for (let level = [trace]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    const direct = level.flatMap((node) => candidatesAt(node, subject, schema))
    const linked: Candidate[] = []
    for (const node of level) linked.push(...(await linksAt(node, schema, links)))
    for (const candidate of [...direct, ...linked]) {
      const key = `${candidate.change} ${printRelationship(candidate.relationship)}`
      if (!found.has(key)) found.set(key, candidate)
    }
  }
  const stored = new Set(relationshipsOf(trace).map(keyOf))
  const takesThePlace = ({ change, relationship }: Candidate) => change === 'add' && stored.has(keyOf(relationship))
  const [instead, anew] = [true, false].map((is) => [...found.values()].filter((one) => takesThePlace(one) === is))
  // What is there with another condition would be lost: that comes last.
  return [...(anew ?? []), ...(instead ?? [])]
}

function relationshipsOf({ step, children }: Trace): Relationship[] {
  const own = step.kind === 'relationship' ? [step.relationship] : []
  return [...own, ...children.flatMap(relationshipsOf)]
}

/** A permission that is another name for a relation is told as that permission, without a step of its own. */
function relationBehind({ relations, permissions }: SchemaReflection['definitions'][number], name: string) {
  const permission = permissions.find((one) => one.name === name)
  // No schema has permissions that go in a circle.
  for (let alias = permission; alias; alias = permissions.find((one) => one.name === name)) name = alias.expression
  return relations.find((one) => one.name === name)
}

/** Some objects of a type that the subject has the permission on already. */
type FindLinks = (type: string, permission: string) => Promise<ObjectReference[]>

const nowhere: FindLinks = async () => []

/** Each kind of object is looked for once, and no more than so many kinds. */
function linksFor(engine: Engine, { subject, context }: CheckQuestion): FindLinks {
  const known = new Map<string, Promise<ObjectReference[]>>()
  const find: FindLinks = async (type, permission) => {
    const asked = { resourceType: type, permission, subject, limit: linksOfKind, ...(context && { context }) }
    try {
      const { items } = await engine.lookupResources(asked)
      return items.map(({ id }) => ({ type, id }))
    } catch (error) {
      if (error instanceof PermissionFault) return []
      throw error
    }
  }
  return async (type, permission) => {
    const key = `${type}#${permission}`
    const links = known.get(key) ?? (known.size < kindsOfLinks ? find(type, permission) : [])
    if (links instanceof Promise) known.set(key, links)
    return links
  }
}

/** One relationship to what the subject has already: an object for an arrow to go along, a set that the subject is in. */
async function linksAt({ resource, step }: Trace, schema: SchemaReflection, links: FindLinks): Promise<Candidate[]> {
  const definition = schema.definitions.find(({ name }) => name === resource.type)
  const left = step.kind === 'arrow' ? step.left : 'name' in step ? step.name : undefined
  const relation = definition && left !== undefined ? relationBehind(definition, left) : undefined
  const found: Candidate[] = []
  for (const { type, relation: of, isWildcard, caveat, hasExpiration } of relation?.allowed ?? []) {
    const wanted = step.kind === 'arrow' ? step.right : of
    if (!relation || wanted === undefined || isWildcard || caveat !== undefined || hasExpiration) continue
    for (const object of await links(type, wanted)) {
      const subject = of === undefined ? object : { ...object, relation: of }
      found.push({ change: 'add', relationship: { resource, relation: relation.name, subject } })
    }
  }
  return found
}

function candidatesAt({ resource, step }: Trace, subject: SubjectReference, schema: SchemaReflection): Candidate[] {
  if (step.kind === 'relationship') return [{ change: 'remove', relationship: step.relationship }]
  if (step.kind !== 'relation' && step.kind !== 'permission') return []
  const definition = schema.definitions.find(({ name }) => name === resource.type)
  const relation = definition && relationBehind(definition, step.name)
  if (!relation) return []
  const fitting = relation.allowed.filter(
    ({ type, relation }) => type === subject.type && relation === subject.relation,
  )
  const named = fitting.filter(({ isWildcard }) => !isWildcard)
  // Everybody gets it only where nobody can get it alone.
  const chosen = named.length > 0 ? named : fitting
  return chosen.map(({ caveat, hasExpiration, isWildcard }) => ({
    change: 'add' as const,
    relationship: {
      resource,
      relation: relation.name,
      subject: isWildcard ? { ...subject, id: '*' } : subject,
      ...(caveat && { caveat: { name: caveat } }),
      ...(hasExpiration && { expiresAt: Date.now() + lastingMs }),
    },
  }))
}
