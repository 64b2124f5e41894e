import { check } from '@passport/permissions/check'
import type { CheckQuestion } from '@passport/permissions/engine'
import type { MemoryGraph } from '@passport/permissions/memory-graph'
import type { Schema } from '@passport/permissions/schema'
import { createRandom, type PermissionDataSize } from './permission-data.ts'

/** Questions whose answers are known: yes to all `hits`, no to all `misses`. */
export interface KnownQuestions {
  hits: CheckQuestion[]
  misses: CheckQuestion[]
}

export interface Known {
  schema: Schema
  graph: MemoryGraph
  size: PermissionDataSize
}

/** So many of both kinds, the same each time: who may by a random way down from a random document, and strangers. */
export function knownQuestions(known: Known, count: number): KnownQuestions {
  const random = createRandom(2)
  const hits = some(known, count, 'hasPermission', () => {
    const document = anyDocument(known, random)
    return { document, user: someoneIn(known.graph, 'document', document, random) }
  })
  const misses = some(known, count, 'noPermission', () => ({
    document: anyDocument(known, random),
    user: `user-${Math.floor(random() * known.size.users)}`,
  }))
  return { hits, misses }
}

function some(
  { schema, graph }: Known,
  count: number,
  answer: string,
  propose: () => { document: string; user: string | undefined },
): CheckQuestion[] {
  const now = Date.now()
  const found: CheckQuestion[] = []
  while (found.length < count) {
    const { document, user } = propose()
    if (user === undefined) continue
    const question = {
      resource: { type: 'document', id: document },
      permission: 'view',
      subject: { type: 'user', id: user },
    }
    if (check(schema, graph, question, { now }).permissionship === answer) found.push(question)
  }
  return found
}

const anyDocument = ({ size }: Known, random: () => number) => `document-${Math.floor(random() * size.documents)}`

function someoneIn(graph: MemoryGraph, type: string, id: string, random: () => number): string | undefined {
  if (type === 'user') return id === '*' ? 'user-1' : id
  const rows = graph.read({ resourceType: type, resourceId: id }).filter(({ relation }) => relation !== 'banned')
  const row = rows[Math.floor(random() * rows.length)]
  return row && someoneIn(graph, row.subject.type, row.subject.id, random)
}
