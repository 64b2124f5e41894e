import { compileCaveatOnce } from '../src/caveats/compiled-caveats.ts'
import { PermissionError } from '../src/error.ts'
import type { CaveatContext, Relationship } from '../src/graph/relationship.ts'
import { parseSchema } from '../src/schema/parse.ts'
import { leaves } from '../src/schema/schema.ts'
import { checkConfirms } from './arbiter.ts'
import type { EngineRequest, World } from './arbitrary-permissions.ts'
import { evaluate, isSame, type Result } from './evaluate.ts'
import type { MemoryEngine } from './memory-engine.ts'
import { answerWithMistakes, createCore } from './spicedb-mistakes.ts'

/** Two different results of a request, and the world they refer to. */
export interface Difference {
  /** The state at the time of the request. */
  world: Pick<World, 'schema' | 'relationships'>
  request: EngineRequest
  theirs: Result
  ours: Result
}

/**
 * A case in which our answer may differ from SpiceDB's, and the reason. Each is as narrow as possible, if necessary by
 * asking SpiceDB again.
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
    reason: 'SpiceDB reports a cycle as excessive depth; ours reports it as a cycle.',
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
      const failing = 'context' in request ? failingRelationships(world, request.context) : []
      const relationships = world.relationships.filter((relationship) => !failing.includes(relationship))
      const rest = {
        world: { ...world, relationships },
        request,
        theirs: await evaluateWithout(spiceDb, failing, request),
      }
      if (isSame(rest.theirs, ours)) return true
      const core = await createCore(world.schema, relationships)
      return isSame(await evaluate(core, request, 1000), ours) && isMistake({ ...rest, ours })
    },
  },
  {
    reason: 'SpiceDB 1.54 fails with a bug of its own where `self` is intersected or subtracted in LookupResources.',
    fits: ({ request, theirs, ours }) =>
      request.kind === 'resources' && 'fails' in theirs && /SELF_ENTRYPOINT/.test(theirs.fails) && 'is' in ours,
  },
  {
    reason:
      'SpiceDB 1.54 overlooks the conditions of relationships, or takes `self` for any type: see spicedb-mistakes.ts.',
    fits: isMistake,
  },
  {
    reason:
      'Where objects are asked about together SpiceDB 1.54 puts conditions of one on another with the same `.all`.',
    fits: async ({ world, request, ours }, spiceDb) => {
      if (request.kind === 'write' || request.kind === 'read') return false
      const irrelevant = await irrelevantRelationships(sharedAtAll(world), world, request, ours)
      return isSame(await evaluateWithout(spiceDb, irrelevant, request), ours)
    },
  },
  {
    reason:
      'LookupSubjects of SpiceDB 1.54 overlooks at `.all` the objects whose type lacks the permission; its check does not.',
    fits: async ({ world, request, theirs, ours }, spiceDb) =>
      request.kind === 'subjects' &&
      'is' in theirs &&
      lacksAtAll(world.schema) &&
      (await checkConfirms(spiceDb, request, theirs, ours)),
  },
  {
    reason: 'LookupResources of SpiceDB 1.54 asks for values that its own check does without.',
    fits: async ({ request, theirs, ours }, spiceDb) =>
      request.kind === 'resources' &&
      'is' in theirs &&
      'is' in ours &&
      theirs.is.length === ours.is.length &&
      theirs.is.every((line) => ours.is.some((other) => hasMoreNames(line, other))) &&
      (await checkConfirms(spiceDb, request, theirs, ours)),
  },
  {
    reason: 'SpiceDB 1.54 leaves objects out of LookupResources that its own check finds.',
    fits: async ({ request, theirs, ours }, spiceDb) =>
      request.kind === 'resources' &&
      'is' in theirs &&
      'is' in ours &&
      theirs.is.every((line) => ours.is.includes(line)) &&
      (await checkConfirms(spiceDb, request, theirs, ours)),
  },
]

/** Returns the reason of a known difference. */
export async function findKnown(spiceDb: MemoryEngine, difference: Difference): Promise<string | undefined> {
  for (const { reason, fits } of knownDifferences) if (await fits(difference, spiceDb)) return reason
  return undefined
}

async function isMistake({ world, request, theirs }: Difference): Promise<boolean> {
  return isSame(await answerWithMistakes(world, request), theirs)
}

/** Reports whether the line is the other with more names, such as `two? day on` and `two? on`. */
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
function lacksAtAll(schema: string): boolean {
  const { definitions } = parseSchema(schema)
  const has = (type: string, name: string) =>
    definitions.some(
      (definition) =>
        definition.name === type &&
        [...definition.relations, ...definition.permissions].some((member) => member.name === name),
    )
  return arrowsOfAll(schema).some(({ types, right }) => types.some((type) => !has(type, right)))
}

/** Returns each `left.all(right)` with the subject types of its left relation. */
function arrowsOfAll(schema: string): { left: string; right: string; types: string[] }[] {
  return parseSchema(schema).definitions.flatMap(({ name, relations, permissions }) =>
    permissions
      .flatMap(({ expression }) => leaves(expression))
      .filter((leaf) => leaf.kind === 'arrow')
      .filter(({ of }) => of === 'all')
      .map(({ left, right }) => {
        const allowed = relations.find((relation) => relation.name === left)?.allowed ?? []
        return { left: `${name}#${left}`, right, types: allowed.map(({ type }) => type) }
      }),
  )
}

/**
 * Returns the conditional relationships of a `.all` arrow's left relation that share their subject with another object.
 */
function sharedAtAll({ schema, relationships }: Difference['world']): Relationship[] {
  const lefts = new Set(arrowsOfAll(schema).map(({ left }) => left))
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

/** Returns the relationships whose removal does not change our answer, one by one and together. */
async function irrelevantRelationships(
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
function failingRelationships({ schema, relationships }: Difference['world'], context: CaveatContext): Relationship[] {
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

/** Asks SpiceDB without some relationships, and restores them afterwards. */
async function evaluateWithout(
  spiceDb: MemoryEngine,
  relationships: Relationship[],
  request: EngineRequest,
): Promise<Result> {
  if (relationships.length === 0) return { fails: 'Nothing was left out.' }
  await spiceDb.writeRelationships(relationships.map((relationship) => ({ operation: 'delete', relationship })))
  const result = await evaluate(spiceDb, request, 1000)
  await spiceDb.writeRelationships(relationships.map((relationship) => ({ operation: 'touch', relationship })))
  return result
}
