import { PermissionFault } from '@passport/permissions/fault'
import { printRelationship } from '@passport/permissions/relationship-text'
import { contradictsItself } from './arbiter.ts'
import type { Question, World } from './arbitrary-permissions.ts'
import { type Answer, ask } from './ask.ts'
import { expiredCounted, knownDifferences, lookupAgainstCheck } from './known-differences.ts'
import type { MemoryEngine } from './memory-engine.ts'

/** How much was compared, and how often a known difference was met, by its reason. */
export interface Tally {
  compared: number
  known: Map<string, number>
}

/**
 * Writes a world into both engines and asks both everything; each write and question counts as compared. Throws with the
 * world and the first question that they answer differently.
 */
export async function compareWorld(
  world: World,
  theirs: MemoryEngine,
  ours: MemoryEngine,
  tally: Tally,
): Promise<void> {
  await empty(theirs)
  const refusals = await Promise.all([theirs, ours].map((engine) => refusalOf(engine, world.schema)))
  tally.compared += 1
  if (refusals[0] !== refusals[1]) throw new Error(`${told(world)}\nSpiceDB: ${refusals[0]}\nours: ${refusals[1]}`)
  if (refusals[0] !== 'none') return
  const writes = world.relationships.map((relationship): Question => ({ ask: 'write', relationship }))
  for (const question of [...writes, ...world.questions]) {
    const answers = { question, theirs: await ask(theirs, question, 1000), ours: await ask(ours, question, 3) }
    tally.compared += 1
    if (isSame(answers.theirs, answers.ours)) continue
    const known = (await findKnown(theirs, answers)) ?? (await countsExpired(theirs, world, answers))
    if (known === undefined) throw new Error(`${told(world)}\n${JSON.stringify(answers, null, 1)}`)
    tally.known.set(known, (tally.known.get(known) ?? 0) + 1)
  }
}

/** The reason of a difference that is known. */
async function findKnown(
  spiceDb: MemoryEngine,
  answers: { question: Question; theirs: Answer; ours: Answer },
): Promise<string | undefined> {
  const known = knownDifferences.find((difference) => difference.fits(answers))
  if (known !== undefined) return known.reason
  const { question, theirs, ours } = answers
  return (await contradictsItself(spiceDb, question, theirs, ours)) ? lookupAgainstCheck : undefined
}

/** Whether SpiceDB says the same as ours as soon as what has expired is deleted, which should change nothing. */
async function countsExpired(
  spiceDb: MemoryEngine,
  { relationships }: World,
  { question, ours }: { question: Question; ours: Answer },
): Promise<string | undefined> {
  if (question.ask === 'write') return undefined
  const expired = relationships.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt < Date.now())
  if (expired.length === 0) return undefined
  await spiceDb.writeRelationships(expired.map((relationship) => ({ operation: 'delete', relationship })))
  return isSame(await ask(spiceDb, question, 1000), ours) ? expiredCounted : undefined
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

/** Where both answer the order does not matter: ours is by id, that of SpiceDB is its own. */
function isSame(theirs: Answer, ours: Answer): boolean {
  if ('is' in theirs && 'is' in ours) return theirs.is.toSorted().join('\n') === ours.is.toSorted().join('\n')
  return 'fault' in theirs && 'fault' in ours && theirs.fault === ours.fault && theirs.field === ours.field
}

function told({ schema, relationships }: World): string {
  return `${schema}\n\n${relationships.map(printRelationship).join('\n')}`
}
