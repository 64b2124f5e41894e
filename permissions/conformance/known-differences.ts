import { compileCaveatOnce } from '../src/caveats/compiled-caveats.ts'
import { PermissionError } from '../src/error.ts'
import type { CaveatContext, Relationship } from '../src/graph/relationship.ts'
import { parseSchema } from '../src/schema/parse.ts'
import { collectLeaves } from '../src/schema/schema.ts'
import { checkConfirms } from './arbiter.ts'
import type { EngineRequest, World } from './arbitrary-permissions.ts'
import { evaluate, isSame, type Result } from './evaluate.ts'
import type { MemoryEngine } from './memory-engine.ts'
import { createCore, evaluateWithMistakes } from './spicedb-mistakes.ts'

/** Two different results of a request, and the world they refer to. */
export interface Difference {
  /** The state at the time of the request. */
  world: Pick<World, 'schema' | 'relationships'>
  request: EngineRequest
  theirs: Result
  ours: Result
}

/**
 * A reason for which our result may differ from SpiceDB's. It applies as narrowly as possible, if necessary by another
 * request to SpiceDB.
 */
interface KnownDifference {
  reason: string
  fits(difference: Difference, spiceDb: MemoryEngine): boolean | Promise<boolean>
}

/** SpiceDB's error for a disallowed subject, and our error for the same write. */
const lessSpecificErrors = new Set([
  'subject-not-allowed subject / subject-not-allowed caveat',
  'subject-not-allowed subject / subject-not-allowed expiresAt',
  'subject-not-allowed subject / unknown-caveat caveat.name',
  'subject-not-allowed subject / caveat-required caveat',
  'subject-not-allowed subject / expiration-required expiresAt',
  'caveat-required caveat / subject-not-allowed expiresAt',
  'caveat-required caveat / expiration-required expiresAt',
])

const knownDifferences: KnownDifference[] = [
  {
    reason: 'SpiceDB reports a cycle as excessive depth; we report it as a cycle.',
    fits: ({ theirs, ours }) => errorOf(theirs) === 'depth-exceeded' && errorOf(ours) === 'cycle',
  },
  {
    reason: 'Lookups visit a cycle once and succeed, where SpiceDB fails.',
    fits: ({ request, theirs, ours }, spiceDb) =>
      errorOf(theirs) === 'depth-exceeded' && 'is' in ours && checkConfirms(spiceDb, request, theirs, ours),
  },
  {
    reason: 'SpiceDB reports a disallowed subject with one error, without the exact reason.',
    fits: ({ request, theirs, ours }) =>
      request.kind === 'write' && lessSpecificErrors.has(`${errorText(theirs)} / ${errorText(ours)}`),
  },
  {
    reason: 'A failing caveat affects only results that depend on it; SpiceDB fails if it evaluates it first.',
    fits: async ({ world, request, theirs, ours }, spiceDb) => {
      if (!['context-type', 'caveat-failed'].includes(errorOf(theirs) ?? '') || !('is' in ours)) return false
      const failing = 'context' in request ? findFailingRelationships(world, request.context) : []
      const relationships = world.relationships.filter((relationship) => !failing.includes(relationship))
      const rest = {
        world: { ...world, relationships },
        request,
        theirs: await evaluateWithout(spiceDb, failing, request),
      }
      if (isSame(rest.theirs, ours)) return true
      const core = await createCore(world.schema, relationships)
      return isSame(await evaluate(core, request, 1000), ours) && isExplainedByMistakes({ ...rest, ours })
    },
  },
  {
    reason: 'LookupResources of SpiceDB 1.54 has an internal error where `self` is intersected or subtracted.',
    fits: ({ request, theirs, ours }) =>
      request.kind === 'resources' && 'fails' in theirs && /SELF_ENTRYPOINT/.test(theirs.fails) && 'is' in ours,
  },
  {
    reason:
      'SpiceDB 1.54 ignores the conditions of relationships, or accepts `self` for any type: see spicedb-mistakes.ts.',
    fits: isExplainedByMistakes,
  },
  {
    reason: 'SpiceDB 1.54 checks objects together, and applies the conditions of one to another with the same `.all`.',
    fits: async ({ world, request, ours }, spiceDb) => {
      if (request.kind === 'write' || request.kind === 'read') return false
      const irrelevant = await findIrrelevantRelationships(findSharedAtAll(world), world, request, ours)
      return isSame(await evaluateWithout(spiceDb, irrelevant, request), ours)
    },
  },
  {
    reason:
      'LookupSubjects of SpiceDB 1.54 ignores objects in `.all` whose type lacks the permission; its check does not.',
    fits: async ({ world, request, theirs, ours }, spiceDb) =>
      request.kind === 'subjects' &&
      'is' in theirs &&
      hasIncompleteAllArrow(world.schema) &&
      (await checkConfirms(spiceDb, request, theirs, ours)),
  },
  {
    reason: 'LookupResources of SpiceDB 1.54 requires values that its own check does not need.',
    fits: async ({ request, theirs, ours }, spiceDb) =>
      request.kind === 'resources' &&
      'is' in theirs &&
      'is' in ours &&
      theirs.is.length === ours.is.length &&
      theirs.is.every((line) => ours.is.some((other) => hasMoreNames(line, other))) &&
      (await checkConfirms(spiceDb, request, theirs, ours)),
  },
  {
    reason: 'LookupResources of SpiceDB 1.54 omits objects that its own check finds.',
    fits: async ({ request, theirs, ours }, spiceDb) =>
      request.kind === 'resources' &&
      'is' in theirs &&
      'is' in ours &&
      theirs.is.every((line) => ours.is.includes(line)) &&
      (await checkConfirms(spiceDb, request, theirs, ours)),
  },
]

/** Returns the reason of a known difference; undefined for any other. */
export async function findKnown(spiceDb: MemoryEngine, difference: Difference): Promise<string | undefined> {
  for (const { reason, fits } of knownDifferences) if (await fits(difference, spiceDb)) return reason
  return undefined
}

async function isExplainedByMistakes({ world, request, theirs }: Difference): Promise<boolean> {
  return isSame(await evaluateWithMistakes(world, request), theirs)
}

/** Reports whether a line has the same id as another and at least its missing names: `two? day on` and `two? on`. */
function hasMoreNames(line: string, other: string): boolean {
  const [names, [found, ...needed]] = [line.split(' '), other.split(' ')]
  return names[0] === found && needed.every((name) => names.includes(name))
}

function errorOf(result: Result): string | undefined {
  return 'error' in result ? result.error : undefined
}

function errorText(result: Result): string | undefined {
  return 'error' in result ? `${result.error} ${result.field?.replace('updates.0.relationship.', '')}` : undefined
}

/** Reports whether a schema has a `.all` arrow with a subject type that lacks the permission on the right. */
function hasIncompleteAllArrow(schema: string): boolean {
  const { definitions } = parseSchema(schema)
  const has = (type: string, name: string) =>
    definitions.some(
      (definition) =>
        definition.name === type &&
        [...definition.relations, ...definition.permissions].some((member) => member.name === name),
    )
  return listAllArrows(schema).some(({ types, right }) => types.some((type) => !has(type, right)))
}

/** Returns each `left.all(right)` with the subject types of its left relation. */
function listAllArrows(schema: string): { left: string; right: string; types: string[] }[] {
  return parseSchema(schema).definitions.flatMap(({ name, relations, permissions }) =>
    permissions
      .flatMap(({ expression }) => collectLeaves(expression))
      .filter((leaf) => leaf.kind === 'arrow')
      .filter(({ of }) => of === 'all')
      .map(({ left, right }) => {
        const allowed = relations.find((relation) => relation.name === left)?.allowed ?? []
        return { left: `${name}#${left}`, right, types: allowed.map(({ type }) => type) }
      }),
  )
}

/**
 * Returns the relationships with a caveat in the left relation of a `.all` arrow whose subject another object has too.
 */
function findSharedAtAll({ schema, relationships }: Difference['world']): Relationship[] {
  const lefts = new Set(listAllArrows(schema).map(({ left }) => left))
  const candidates = relationships.filter(({ resource, relation }) => lefts.has(`${resource.type}#${relation}`))
  return candidates.filter(({ caveat, relation, resource, subject }) =>
    candidates.some(
      (other) =>
        caveat !== undefined &&
        other.relation === relation &&
        other.resource.id !== resource.id &&
        other.subject.type === subject.type &&
        other.subject.id === subject.id,
    ),
  )
}

/** Returns the relationships whose removal does not change our result, one by one and together. */
async function findIrrelevantRelationships(
  relationships: Relationship[],
  { schema, relationships: all }: Difference['world'],
  request: EngineRequest,
  ours: Result,
): Promise<Relationship[]> {
  const irrelevant: Relationship[] = []
  for (const relationship of relationships) {
    const remaining = all.filter((candidate) => candidate !== relationship && !irrelevant.includes(candidate))
    if (isSame(await evaluate(await createCore(schema, remaining), request, 1000), ours)) irrelevant.push(relationship)
  }
  return irrelevant
}

/** Returns the relationships whose caveat fails with the context. */
function findFailingRelationships(
  { schema, relationships }: Difference['world'],
  context: CaveatContext,
): Relationship[] {
  const caveats = new Map(parseSchema(schema).caveats.map((caveat) => [caveat.name, compileCaveatOnce(caveat)]))
  return relationships.filter(({ caveat }) => {
    try {
      caveats.get(caveat?.name ?? '')?.evaluate(context, caveat?.context ?? {})
      return false
    } catch (error) {
      if (error instanceof PermissionError) return true
      throw error
    }
  })
}

/** Evaluates a request in SpiceDB without some relationships, and restores them. */
async function evaluateWithout(
  spiceDb: MemoryEngine,
  relationships: Relationship[],
  request: EngineRequest,
): Promise<Result> {
  if (relationships.length === 0) return { fails: 'No relationship was removed.' }
  await spiceDb.writeRelationships(relationships.map((relationship) => ({ operation: 'delete', relationship })))
  const result = await evaluate(spiceDb, request, 1000)
  await spiceDb.writeRelationships(relationships.map((relationship) => ({ operation: 'touch', relationship })))
  return result
}
