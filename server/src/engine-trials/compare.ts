import { PermissionFault } from '@passport/permissions/fault'
import type { Relationship } from '@passport/permissions/relationship'
import { printRelationship } from '@passport/permissions/relationship-text'
import type { CheckOfWorld, Question, World } from './arbitrary-permissions.ts'
import { type Answer, ask, askInBulk } from './ask.ts'
import { findKnown } from './known-differences.ts'
import type { MemoryEngine } from './memory-engine.ts'
import { isSame } from './same-answer.ts'

/** How much was compared, and how often a known difference was met, by its reason. */
export interface Tally {
  compared: number
  known: Map<string, number>
}

/** The oracle, our core, and what must answer in everything as our core does. */
export interface Compared {
  spiceDb: MemoryEngine
  core: MemoryEngine
  graphs?: MemoryEngine | undefined
}

/** So many checks of a world are asked again, all at once. */
const maxInBulk = 12

/**
 * Writes a world into all engines and asks them everything; each write and question counts as compared. Throws with the
 * world and the first question that they answer differently.
 */
export async function compareWorld(world: World, engines: Compared, tally: Tally): Promise<void> {
  const { spiceDb, core, graphs } = engines
  const all = [spiceDb, core, ...(graphs ? [graphs] : [])]
  for (const engine of [spiceDb, graphs]) if (engine) await empty(engine)
  const refusals: string[] = []
  for (const engine of all) refusals.push(await refusalOf(engine, world.schema))
  tally.compared += 1
  if (new Set(refusals).size > 1) throw new Error(`${world.schema}\nSpiceDB, ours, graphs: ${refusals.join(', ')}`)
  if (refusals[0] !== 'none') return
  const written = new Map<string, Relationship>()
  const judge = async (question: Question, [theirs, ours, ofGraphs]: (Answer | undefined)[]) => {
    if (!theirs || !ours) throw new Error('Nothing was answered.')
    tally.compared += 1
    const now = { schema: world.schema, relationships: [...written.values()] }
    if (ofGraphs && !isSame(ofGraphs, ours)) throw new Error(told(now, { question, ofGraphs, ours }))
    if (isSame(theirs, ours)) return
    const known = await findKnown(spiceDb, { world: now, question, theirs, ours })
    if (known === undefined) throw new Error(told(now, { question, theirs, ours }))
    tally.known.set(known, (tally.known.get(known) ?? 0) + 1)
  }
  const writes = world.relationships.map((relationship): Question => ({ ask: 'write', relationship }))
  for (const question of [...writes, ...world.questions]) {
    const answers = [await ask(spiceDb, question, 1000), await ask(core, question, 3)]
    if (graphs) answers.push(await ask(graphs, question, 3))
    if (question.ask === 'write' && answers[1] && 'is' in answers[1])
      written.set(keyOf(question.relationship), question.relationship)
    await judge(question, answers)
  }
  const checks = checksOf(world)
  const inBulk: Answer[][] = []
  for (const engine of all) inBulk.push(await askInBulk(engine, checks))
  for (const [at, question] of checks.entries())
    await judge(
      question,
      inBulk.map((answers) => answers[at]),
    )
}

/** The checks that are asked in bulk as well. */
export function checksOf({ questions }: World): CheckOfWorld[] {
  return questions.filter((question) => question.ask === 'check').slice(0, maxInBulk)
}

function keyOf({ resource, relation, subject }: Relationship): string {
  return printRelationship({ resource, relation, subject })
}

async function empty(engine: MemoryEngine): Promise<void> {
  for (const resourceType of ['document', 'folder', 'group']) {
    await engine.deleteRelationships({ resourceType }).catch((error) => {
      if (!(error instanceof PermissionFault && error.code === 'unknown-type')) throw error
    })
  }
}

async function refusalOf(engine: MemoryEngine, schema: string): Promise<string> {
  try {
    await engine.writeSchema(schema)
    return 'none'
  } catch (error) {
    if (error instanceof PermissionFault) return error.code
    throw error
  }
}

function told({ schema, relationships }: Pick<World, 'schema' | 'relationships'>, difference: object): string {
  return `${schema}\n\n${relationships.map(printRelationship).join('\n')}\n${JSON.stringify(difference, null, 1)}`
}
