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

/** A single relationship that changes the answer, and the resulting answer. */
export interface Miss {
  change: 'add' | 'remove'
  relationship: Relationship
  verdict: CheckVerdict
}

/** An engine, or one with hypothetical changes. */
type Engine = Pick<PermissionEngine, 'check' | 'reflectSchema' | 'lookupResources' | 'whatIf'>

type Candidate = Pick<Miss, 'change' | 'relationship'>

/** The maximum number of candidates: an answer based on thousands of relationships rarely depends on a single one. */
const maxCandidates = 200
const maxMisses = 10
/** Limits on the usersets and objects the subject already has: per kind, and number of kinds. */
const maxLinksPerKind = 3
const maxLinkKinds = 8
const maxMs = 3000
/** The expiration of a candidate relationship that requires one. */
const defaultExpiryMs = 60 * 60 * 1000

/**
 * Finds the single relationships that would change the answer from no to yes or from yes to no. Candidates come from
 * the trace, on both sides of its arrows, and each is tried. Those nearest to the resource come first.
 */
export async function findMisses(
  engine: Engine,
  request: CheckRequest,
  isExpired = createDeadline(maxMs),
): Promise<{ answer: CheckResult; misses: Miss[] }> {
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
  return { answer: result, misses }
}

/** A no changes to yes or conditional, a yes to no, and a conditional to either. */
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
    // An invalid relationship, or one that leads too deep, is not a candidate.
    if (error instanceof PermissionError) return undefined
    throw error
  }
}

/**
 * Collects candidates from the trace, level by level: a relation may gain the subject, a stored relationship may be
 * removed.
 */
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
  // A candidate that replaces a stored relationship with another condition comes last, because the condition would be lost.
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
 * Returns the relation of a step: its own, that on the left of an arrow, or the one that its permission is an alias of.
 * The trace has such a permission without a node for the relation.
 */
function findRelation(schema: SchemaReflection, { resource, step }: Trace) {
  const definition = schema.definitions.find(({ name }) => name === resource.type)
  let name = step.kind === 'arrow' ? step.left : 'name' in step ? step.name : undefined
  const findPermission = () => definition?.permissions.find((permission) => permission.name === name)
  // Schemas have no recursive permissions without an arrow, so this terminates.
  for (let alias = findPermission(); alias; alias = findPermission()) name = alias.expression
  return definition?.relations.find((relation) => relation.name === name)
}

/** Returns some objects of a type that the subject already has the permission on. */
type FindLinks = (type: string, permission: string) => Promise<ObjectReference[]>

const noLinks: FindLinks = async () => []

/** Looks up each kind of object once, for a limited number of kinds. */
function createFindLinks(engine: Engine, { subject, context }: CheckRequest): FindLinks {
  const known = new Map<string, Promise<ObjectReference[]>>()
  const find: FindLinks = async (type, permission) => {
    const lookup = { resourceType: type, permission, subject, limit: maxLinksPerKind, ...(context && { context }) }
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
    if (!known.has(key) && known.size < maxLinkKinds) known.set(key, find(type, permission))
    return known.get(key) ?? []
  }
}

/**
 * Candidates that link to something the subject already has: an object for an arrow, or a userset containing the
 * subject.
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

function findDirectCandidates(node: Trace, subject: SubjectReference, schema: SchemaReflection): Candidate[] {
  const { resource, step } = node
  if (step.kind === 'relationship') return [{ change: 'remove', relationship: step.relationship }]
  const relation = step.kind === 'arrow' ? undefined : findRelation(schema, node)
  if (!relation) return []
  const matching = relation.allowed.filter(
    ({ type, relation }) => type === subject.type && relation === subject.relation,
  )
  const named = matching.filter(({ isWildcard }) => !isWildcard)
  // A wildcard is suggested only where individual subjects are not allowed.
  const chosen = named.length > 0 ? named : matching
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
