import {
  type CheckRequest,
  type CheckResult,
  type CheckVerdict,
  type ObjectReference,
  type PermissionEngine,
  PermissionError,
  printRelationship,
  type Relationship,
  type SchemaReflection,
  type SubjectReference,
  type Trace,
} from '@passport/permissions'
import { keyOf } from './rows.ts'
import { createDeadline, createYielder } from './yield-if-due.ts'

/** A change of a single relationship that flips the result of a check, and the resulting verdict. */
export interface Miss {
  change: 'add' | 'remove'
  relationship: Relationship
  verdict: CheckVerdict
}

/** An engine, possibly with hypothetical changes. */
type Engine = Pick<PermissionEngine, 'check' | 'reflectSchema' | 'lookupResources' | 'whatIf'>

type Candidate = Pick<Miss, 'change' | 'relationship'>

/** The maximum number of changes to try. A result that depends on more relationships rarely depends on a single one. */
const maxCandidates = 200
const maxMisses = 10
/** Limits on the lookups of objects that the subject has a permission on, and on their results. */
const maxLookups = 8
const maxLinksPerLookup = 3
const maxMs = 3000
/** The time to the expiration of a candidate whose relation requires one. */
const defaultExpiryMs = 60 * 60 * 1000

/**
 * Finds single relationships to add or remove that flip the result of a check. Candidates come from the trace, on both
 * sides of its arrows, and each is checked. Those nearest to the resource come first.
 */
export async function findMisses(
  engine: Engine,
  request: CheckRequest,
  isExpired = createDeadline(maxMs),
): Promise<{ result: CheckResult; misses: Miss[] }> {
  const result = await engine.check(request, { consistency: { kind: 'fullyConsistent' }, withTrace: true })
  const schema = await engine.reflectSchema()
  const links = result.permissionship === 'hasPermission' ? noLinks : createFindLinks(engine, request)
  const candidates = result.trace ? await collectCandidates(result.trace, request.subject, schema, links) : []
  const misses: Miss[] = []
  const yieldIfDue = createYielder()
  for (const candidate of candidates.slice(0, maxCandidates)) {
    if (isExpired()) break
    await yieldIfDue()
    const verdict = await tryCandidate(engine, request, candidate)
    if (verdict && isFlipped(result, verdict)) misses.push({ ...candidate, verdict })
    if (misses.length >= maxMisses) break
  }
  return { result, misses }
}

/** Reports whether a permission is lost, or whether a missing or conditional one changes. */
function isFlipped({ permissionship: before }: CheckVerdict, { permissionship: after }: CheckVerdict): boolean {
  return before === 'hasPermission' ? after === 'noPermission' : after !== before
}

async function tryCandidate(
  engine: Engine,
  request: CheckRequest,
  { change, relationship }: Candidate,
): Promise<CheckVerdict | undefined> {
  const whatIf = change === 'add' ? { add: [relationship] } : { remove: [relationship] }
  try {
    const { permissionship, missing } = (await engine.whatIf?.(whatIf).check(request)) ?? {}
    return permissionship && missing && { permissionship, missing }
  } catch (error) {
    // The schema rejects the relationship, or its evaluation is too deep.
    if (error instanceof PermissionError) return undefined
    throw error
  }
}

/** Collects candidates from the trace, level by level: relationships to add to a relation, and stored ones to remove. */
async function collectCandidates(
  trace: Trace,
  subject: SubjectReference,
  schema: SchemaReflection,
  links: FindLinks,
): Promise<Candidate[]> {
  const candidates = new Map<string, Candidate>()
  for (let level = [trace]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    const direct = level.flatMap((node) => findDirectCandidates(node, subject, schema))
    const linked: Candidate[] = []
    for (const node of level) linked.push(...(await findLinkCandidates(node, schema, links)))
    for (const candidate of [...direct, ...linked]) {
      const key = `${candidate.change} ${printRelationship(candidate.relationship)}`
      if (!candidates.has(key)) candidates.set(key, candidate)
    }
  }
  // A candidate that replaces a stored relationship comes last, because the caveat or expiration would be lost.
  const stored = new Set(collectRelationships(trace).map(keyOf))
  const isReplacing = ({ change, relationship }: Candidate) =>
    change === 'add' && stored.has(keyOf(relationship)) ? 1 : 0
  return [...candidates.values()].sort((first, second) => isReplacing(first) - isReplacing(second))
}

function collectRelationships({ step, children }: Trace): Relationship[] {
  const stored = step.kind === 'relationship' ? [step.relationship] : []
  return [...stored, ...children.flatMap(collectRelationships)]
}

/**
 * Returns the relation of a step: its own, or the one on the left of its arrow. The relation of a permission that is only
 * an alias has no node of its own.
 */
function findRelation(schema: SchemaReflection, { resource, step }: Trace) {
  const definition = schema.definitions.find(({ name }) => name === resource.type)
  let name = step.kind === 'arrow' ? step.left : 'name' in step ? step.name : undefined
  const findPermission = () => definition?.permissions.find((permission) => permission.name === name)
  // Schemas have no recursive permissions without an arrow, so this terminates.
  for (let alias = findPermission(); alias; alias = findPermission()) name = alias.expression
  return definition?.relations.find((relation) => relation.name === name)
}

/** Returns some objects of a type on which the subject has a permission. */
type FindLinks = (type: string, permission: string) => Promise<ObjectReference[]>

const noLinks: FindLinks = async () => []

/** Returns a function that looks up each type and permission once, and only a limited number of them. */
function createFindLinks(engine: Engine, { subject, context }: CheckRequest): FindLinks {
  const known = new Map<string, Promise<ObjectReference[]>>()
  const find: FindLinks = async (type, permission) => {
    const lookup = { resourceType: type, permission, subject, limit: maxLinksPerLookup, ...(context && { context }) }
    try {
      const { items } = await engine.lookupResources(lookup)
      return items.map(({ id }) => ({ type, id }))
    } catch (error) {
      if (error instanceof PermissionError) return []
      throw error
    }
  }
  return async (type, permission) => {
    const key = `${type}#${permission}`
    if (!known.has(key) && known.size < maxLookups) known.set(key, find(type, permission))
    return known.get(key) ?? []
  }
}

/**
 * Returns candidates that connect the resource with an object on which the subject has the permission of an arrow, or
 * with a userset that contains the subject.
 */
async function findLinkCandidates(node: Trace, schema: SchemaReflection, links: FindLinks): Promise<Candidate[]> {
  const { resource, step } = node
  const relation = findRelation(schema, node)
  const candidates: Candidate[] = []
  for (const { type, relation: subjectRelation, isWildcard, caveat, hasExpiration } of relation?.allowed ?? []) {
    const permission = step.kind === 'arrow' ? step.right : subjectRelation
    if (!relation || permission === undefined || isWildcard || caveat !== undefined || hasExpiration) continue
    for (const object of await links(type, permission)) {
      const subject = subjectRelation === undefined ? object : { ...object, relation: subjectRelation }
      candidates.push({ change: 'add', relationship: { resource, relation: relation.name, subject } })
    }
  }
  return candidates
}

/** Returns candidates that add the subject itself to a relation, or remove a stored relationship. */
function findDirectCandidates(node: Trace, subject: SubjectReference, schema: SchemaReflection): Candidate[] {
  const { resource, step } = node
  if (step.kind === 'relationship') return [{ change: 'remove', relationship: step.relationship }]
  const relation = step.kind === 'arrow' ? undefined : findRelation(schema, node)
  if (!relation) return []
  const matching = relation.allowed.filter(
    ({ type, relation }) => type === subject.type && relation === subject.relation,
  )
  const individual = matching.filter(({ isWildcard }) => !isWildcard)
  // A wildcard is suggested only where individual subjects are not allowed.
  const chosen = individual.length > 0 ? individual : matching
  return chosen.map(({ caveat, hasExpiration, isWildcard }) => ({
    change: 'add' as const,
    relationship: {
      resource,
      relation: relation.name,
      subject: isWildcard ? { ...subject, id: '*' } : subject,
      ...(caveat && { caveat: { name: caveat } }),
      ...(hasExpiration && { expiresAt: Date.now() + defaultExpiryMs }),
    },
  }))
}
