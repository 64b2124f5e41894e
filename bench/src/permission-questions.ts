import { type CheckQuestion, check, type MemoryGraph, type Schema } from '@passport/permissions'
import { createRandom, type PermissionDataSize } from './permission-data.ts'

/** Checks with known results: yes for all `hits`, no for all `misses`. */
export interface KnownQuestions {
  hits: CheckQuestion[]
  misses: CheckQuestion[]
}

export interface QuestionSource {
  schema: Schema
  graph: MemoryGraph
  size: PermissionDataSize
}

/**
 * Returns this many checks of both kinds, the same each time: users found by a random path from a random document, and
 * random users without access.
 */
export function knownQuestions(source: QuestionSource, count: number): KnownQuestions {
  const random = createRandom(2)
  const hits = collectQuestions(source, count, 'hasPermission', () => {
    const document = randomDocument(source, random)
    return { document, user: randomSubject(source.graph, 'document', document, random) }
  })
  const misses = collectQuestions(source, count, 'noPermission', () => ({
    document: randomDocument(source, random),
    user: `user-${Math.floor(random() * source.size.users)}`,
  }))
  return { hits, misses }
}

function collectQuestions(
  { schema, graph }: QuestionSource,
  count: number,
  expected: string,
  generate: () => { document: string; user: string | undefined },
): CheckQuestion[] {
  const now = Date.now()
  const questions: CheckQuestion[] = []
  while (questions.length < count) {
    const { document, user } = generate()
    if (user === undefined) continue
    const question = {
      resource: { type: 'document', id: document },
      permission: 'view',
      subject: { type: 'user', id: user },
    }
    if (check(schema, graph, question, { now }).permissionship === expected) questions.push(question)
  }
  return questions
}

const randomDocument = ({ size }: QuestionSource, random: () => number) =>
  `document-${Math.floor(random() * size.documents)}`

function randomSubject(graph: MemoryGraph, type: string, id: string, random: () => number): string | undefined {
  if (type === 'user') return id === '*' ? 'user-1' : id
  const rows = graph.read({ resourceType: type, resourceId: id }).filter(({ relation }) => relation !== 'banned')
  const row = rows[Math.floor(random() * rows.length)]
  return row && randomSubject(graph, row.subject.type, row.subject.id, random)
}
