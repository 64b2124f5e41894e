import { caveatOf } from '@passport/permissions/compiled-caveats'
import { PermissionFault } from '@passport/permissions/fault'
import { parseSchema } from '@passport/permissions/parse'
import type { CaveatContext, Relationship } from '@passport/permissions/relationship'
import type { Expression } from '@passport/permissions/schema'
import { agreesWhereItAnswers, contradictsItself } from './arbiter.ts'
import type { Question, World } from './arbitrary-permissions.ts'
import { type Answer, ask } from './ask.ts'
import type { MemoryEngine } from './memory-engine.ts'
import { isSame } from './same-answer.ts'
import { answerWithMistakes, coreOn } from './spicedb-mistakes.ts'

/** Two answers to one question that are not the same, and on what they were given. */
export interface Difference {
  /** As it is when the question is asked. */
  world: Pick<World, 'schema' | 'relationships'>
  question: Question
  theirs: Answer
  ours: Answer
}

/** Where our answer may be another than SpiceDB's, and why. Each is as narrow as can be told, if need be by asking SpiceDB again. */
interface KnownDifference {
  reason: string
  fits(difference: Difference, spiceDb: MemoryEngine): boolean | Promise<boolean>
}

/** What SpiceDB says of a subject that a relation does not allow, and what ours says of the same. */
const fewerWords = new Set([
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
    reason: 'SpiceDB takes a circle for a graph that is too deep; ours says that it is a circle.',
    fits: ({ theirs, ours }) => faultOf(theirs) === 'depth-exceeded' && faultOf(ours) === 'cycle',
  },
  {
    reason: 'Lookups go round a circle once and answer, where SpiceDB fails.',
    fits: ({ question, theirs, ours }, spiceDb) =>
      faultOf(theirs) === 'depth-exceeded' && 'is' in ours && agreesWhereItAnswers(spiceDb, question, ours),
  },
  {
    reason: 'Of a subject that a relation does not allow SpiceDB says so in fewer words, whatever keeps it out.',
    fits: ({ question, theirs, ours }) =>
      question.ask === 'write' && fewerWords.has(`${wordsOf(theirs)} / ${wordsOf(ours)}`),
  },
  {
    reason: 'A caveat that fails spoils only what it could decide; SpiceDB fails if it comes to it first.',
    fits: async ({ world, question, theirs, ours }, spiceDb) => {
      if (!['context-type', 'caveat-failed'].includes(faultOf(theirs) ?? '') || !('is' in ours)) return false
      const failing = 'context' in question ? failingRelationships(world, question.context) : []
      const relationships = world.relationships.filter((relationship) => !failing.includes(relationship))
      const rest = {
        world: { ...world, relationships },
        question,
        theirs: await askWithout(spiceDb, failing, question),
      }
      if (isSame(rest.theirs, ours)) return true
      const core = await coreOn(world.schema, relationships)
      return isSame(await ask(core, question, 1000), ours) && isMistake({ ...rest, ours })
    },
  },
  {
    reason: 'SpiceDB 1.54 fails with a bug of its own where `self` is intersected or subtracted in LookupResources.',
    fits: ({ question, theirs, ours }) =>
      question.ask === 'resources' && 'fails' in theirs && /SELF_ENTRYPOINT/.test(theirs.fails) && 'is' in ours,
  },
  {
    reason:
      'SpiceDB 1.54 overlooks the conditions of relationships, or takes `self` for any type: see spicedb-mistakes.ts.',
    fits: isMistake,
  },
  {
    reason:
      'Where objects are asked about together SpiceDB 1.54 puts conditions of one on another with the same `.all`.',
    fits: async ({ world, question, ours }, spiceDb) => {
      if (question.ask === 'write' || question.ask === 'read') return false
      const idle = await withoutSay(sharedAtAll(world), world, question, ours)
      return isSame(await askWithout(spiceDb, idle, question), ours)
    },
  },
  {
    reason:
      'LookupSubjects of SpiceDB 1.54 overlooks at `.all` the objects whose type lacks the permission; its check does not.',
    fits: async ({ world, question, theirs, ours }, spiceDb) =>
      question.ask === 'subjects' &&
      lacksAtAll(world.schema) &&
      (await contradictsItself(spiceDb, question, theirs, ours)),
  },
  {
    reason: 'LookupResources of SpiceDB 1.54 asks for values that its own check does without.',
    fits: async ({ question, theirs, ours }, spiceDb) =>
      question.ask === 'resources' &&
      'is' in theirs &&
      'is' in ours &&
      theirs.is.length === ours.is.length &&
      theirs.is.every((line) => ours.is.some((other) => asksForMore(line, other))) &&
      (await contradictsItself(spiceDb, question, theirs, ours)),
  },
  {
    reason: 'SpiceDB 1.54 leaves objects out of LookupResources that its own check finds.',
    fits: async ({ question, theirs, ours }, spiceDb) =>
      question.ask === 'resources' &&
      'is' in theirs &&
      'is' in ours &&
      theirs.is.every((line) => ours.is.includes(line)) &&
      (await contradictsItself(spiceDb, question, theirs, ours)),
  },
]

/** The reason of a difference that is known. */
export async function findKnown(spiceDb: MemoryEngine, difference: Difference): Promise<string | undefined> {
  for (const { reason, fits } of knownDifferences) if (await fits(difference, spiceDb)) return reason
  return undefined
}

async function isMistake({ world, question, theirs }: Difference): Promise<boolean> {
  return isSame(await answerWithMistakes(world, question), theirs)
}

/** Whether `two? day on` is `two? on` with more names. */
function asksForMore(line: string, other: string): boolean {
  const [names, [found, ...needed]] = [line.split(' '), other.split(' ')]
  return names[0] === found && needed.every((name) => names.includes(name))
}

function faultOf(answer: Answer): string | undefined {
  return 'fault' in answer ? answer.fault : undefined
}

function wordsOf(answer: Answer): string | undefined {
  return 'fault' in answer ? `${answer.fault} ${answer.field?.replace('updates.0.relationship.', '')}` : undefined
}

/** Whether a schema has an arrow with `.all` of which a type on the left lacks what is on the right. */
function lacksAtAll(schema: string): boolean {
  const { definitions } = parseSchema(schema)
  const has = (type: string, name: string) =>
    definitions.some(
      (one) => one.name === type && [...one.relations, ...one.permissions].some((of) => of.name === name),
    )
  return arrowsOfAll(schema).some(({ types, right }) => types.some((type) => !has(type, right)))
}

/** Each `left.all(right)` with the types of subject that its left allows. */
function arrowsOfAll(schema: string): { left: string; right: string; types: string[] }[] {
  const arrows = (expression: Expression): (Expression & { kind: 'arrow' })[] => {
    if (expression.kind === 'arrow') return expression.of === 'all' ? [expression] : []
    if (expression.kind === 'exclusion') return [...arrows(expression.base), ...arrows(expression.subtracted)]
    return 'operands' in expression ? expression.operands.flatMap(arrows) : []
  }
  return parseSchema(schema).definitions.flatMap(({ name, relations, permissions }) =>
    permissions
      .flatMap(({ expression }) => arrows(expression))
      .map(({ left, right }) => {
        const allowed = relations.find((relation) => relation.name === left)?.allowed ?? []
        return { left: `${name}#${left}`, right, types: allowed.map(({ type }) => type) }
      }),
  )
}

/** Those under a caveat that lead by the left of a `.all` to what another object is led to as well. */
function sharedAtAll({ schema, relationships }: Difference['world']): Relationship[] {
  const lefts = new Set(arrowsOfAll(schema).map(({ left }) => left))
  const led = relationships.filter(({ resource, relation }) => lefts.has(`${resource.type}#${relation}`))
  return led.filter(({ caveat, relation, resource, subject }) =>
    led.some(
      (other) =>
        caveat !== undefined &&
        other.relation === relation &&
        other.resource.id !== resource.id &&
        other.subject.type === subject.type &&
        other.subject.id === subject.id,
    ),
  )
}

/** Those of the relationships without which our answer is the same, one by one and together. */
async function withoutSay(
  relationships: Relationship[],
  { schema, relationships: all }: Difference['world'],
  question: Question,
  ours: Answer,
): Promise<Relationship[]> {
  const idle: Relationship[] = []
  for (const relationship of relationships) {
    const left = all.filter((one) => one !== relationship && !idle.includes(one))
    if (isSame(await ask(await coreOn(schema, left), question, 1000), ours)) idle.push(relationship)
  }
  return idle
}

/** Those whose caveat cannot be worked out with the context. */
function failingRelationships({ schema, relationships }: Difference['world'], context: CaveatContext): Relationship[] {
  const caveats = new Map(parseSchema(schema).caveats.map((caveat) => [caveat.name, caveatOf(caveat)]))
  return relationships.filter(({ caveat }) => {
    try {
      caveats.get(caveat?.name ?? '')?.evaluate(context, caveat?.context ?? {})
      return false
    } catch (error) {
      if (error instanceof PermissionFault) return true
      throw error
    }
  })
}

/** The answer of SpiceDB as if the relationships were not there, which they are again afterwards. */
async function askWithout(spiceDb: MemoryEngine, relationships: Relationship[], question: Question): Promise<Answer> {
  if (relationships.length === 0) return { fails: 'Nothing was left out.' }
  await spiceDb.writeRelationships(relationships.map((relationship) => ({ operation: 'delete', relationship })))
  const answer = await ask(spiceDb, question, 1000)
  await spiceDb.writeRelationships(relationships.map((relationship) => ({ operation: 'touch', relationship })))
  return answer
}
