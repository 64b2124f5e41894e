import { PermissionError } from '../src/error.ts'
import type { Relationship } from '../src/graph/relationship.ts'
import { printRelationship } from '../src/graph/relationship-text.ts'
import type { CheckEngineRequest, EngineRequest, World } from './arbitrary-permissions.ts'
import { evaluate, evaluateInBulk, isSame, type Result } from './evaluate.ts'
import { findKnown } from './known-differences.ts'
import type { MemoryEngine } from './memory-engine.ts'

/** The number of comparisons, and of known differences by reason. */
export interface Tally {
  compared: number
  known: Map<string, number>
}

/** The oracle, our core, and optionally an engine that must have the same results as our core. */
export interface Engines {
  spiceDb: MemoryEngine
  core: MemoryEngine
  graphs?: MemoryEngine | undefined
}

/** The number of checks per world repeated in bulk. */
const maxInBulk = 12

/**
 * Writes a world to all engines and sends them every request. Throws for the first request with different results, with
 * the world in the message. Each write and request counts as a comparison.
 */
export async function compareWorld(world: World, engines: Engines, tally: Tally): Promise<void> {
  const { spiceDb, core, graphs } = engines
  const all = [spiceDb, core, ...(graphs ? [graphs] : [])]
  for (const engine of [spiceDb, graphs]) if (engine) await clear(engine)
  const schemaErrors: string[] = []
  for (const engine of all) schemaErrors.push(await findSchemaError(engine, world.schema))
  tally.compared += 1
  if (new Set(schemaErrors).size > 1)
    throw new Error(`${world.schema}\nSpiceDB, ours, graphs: ${schemaErrors.join(', ')}`)
  if (schemaErrors[0] !== 'none') return
  const written = new Map<string, Relationship>()
  const judge = async (request: EngineRequest, [theirs, ours, ofGraphs]: (Result | undefined)[]) => {
    if (!theirs || !ours) throw new Error('A result is missing.')
    tally.compared += 1
    const now = { schema: world.schema, relationships: [...written.values()] }
    if (ofGraphs && !isSame(ofGraphs, ours)) throw new Error(describeDifference(now, { request, ofGraphs, ours }))
    if (isSame(theirs, ours)) return
    const reason = await findKnown(spiceDb, { world: now, request, theirs, ours })
    if (reason === undefined) throw new Error(describeDifference(now, { request, theirs, ours }))
    tally.known.set(reason, (tally.known.get(reason) ?? 0) + 1)
  }
  const writes = world.relationships.map((relationship): EngineRequest => ({ kind: 'write', relationship }))
  for (const request of [...writes, ...world.requests]) {
    const results = [await evaluate(spiceDb, request, 1000), await evaluate(core, request, 3)]
    if (graphs) results.push(await evaluate(graphs, request, 3))
    if (request.kind === 'write' && results[1] && 'is' in results[1])
      written.set(keyOf(request.relationship), request.relationship)
    await judge(request, results)
  }
  const checks = selectChecks(world)
  const inBulk: Result[][] = []
  for (const engine of all) inBulk.push(await evaluateInBulk(engine, checks))
  for (const [at, request] of checks.entries())
    await judge(
      request,
      inBulk.map((results) => results[at]),
    )
}

/** Returns the checks to repeat in bulk. */
export function selectChecks({ requests }: World): CheckEngineRequest[] {
  return requests.filter((request) => request.kind === 'check').slice(0, maxInBulk)
}

function keyOf({ resource, relation, subject }: Relationship): string {
  return printRelationship({ resource, relation, subject })
}

async function clear(engine: MemoryEngine): Promise<void> {
  for (const resourceType of ['document', 'folder', 'group']) {
    await engine.deleteRelationships({ resourceType }).catch((error) => {
      if (!(error instanceof PermissionError && error.code === 'unknown-type')) throw error
    })
  }
}

async function findSchemaError(engine: MemoryEngine, schema: string): Promise<string> {
  try {
    await engine.writeSchema(schema)
    return 'none'
  } catch (error) {
    if (error instanceof PermissionError) return error.code
    throw error
  }
}

function describeDifference(
  { schema, relationships }: Pick<World, 'schema' | 'relationships'>,
  difference: object,
): string {
  return `${schema}\n\n${relationships.map(printRelationship).join('\n')}\n${JSON.stringify(difference, null, 1)}`
}
