import { type CheckRequest, check, type MemoryGraph, type Schema } from '@passport/permissions'
import { createRandom, type PermissionDataSize } from './permission-data.ts'

/** Checks with known results: every hit has the permission, and no miss has it. */
export interface KnownChecks {
  hits: CheckRequest[]
  misses: CheckRequest[]
}

/** The data that the checks are selected from. */
export interface CheckSource {
  schema: Schema
  graph: MemoryGraph
  size: PermissionDataSize
}

/**
 * Returns `count` checks of both kinds, the same each time: users found by a random path from a random document, and
 * random users without access.
 */
export function selectKnownChecks(source: CheckSource, count: number): KnownChecks {
  const random = createRandom(2)
  const hits = collectChecks(source, count, 'hasPermission', () => {
    const document = pickDocument(source, random)
    return { document, user: pickUser(source.graph, 'document', document, random) }
  })
  const misses = collectChecks(source, count, 'noPermission', () => ({
    document: pickDocument(source, random),
    user: `user-${Math.floor(random() * source.size.users)}`,
  }))
  return { hits, misses }
}

function collectChecks(
  { schema, graph }: CheckSource,
  count: number,
  expected: string,
  generate: () => { document: string; user: string | undefined },
): CheckRequest[] {
  const now = Date.now()
  const checks: CheckRequest[] = []
  while (checks.length < count) {
    const { document, user } = generate()
    if (user === undefined) continue
    const request = {
      resource: { type: 'document', id: document },
      permission: 'view',
      subject: { type: 'user', id: user },
    }
    if (check(schema, graph, request, { now }).permissionship === expected) checks.push(request)
  }
  return checks
}

const pickDocument = ({ size }: CheckSource, random: () => number) =>
  `document-${Math.floor(random() * size.documents)}`

function pickUser(graph: MemoryGraph, type: string, id: string, random: () => number): string | undefined {
  if (type === 'user') return id === '*' ? 'user-1' : id
  const rows = graph.read({ resourceType: type, resourceId: id }).filter(({ relation }) => relation !== 'banned')
  const row = rows[Math.floor(random() * rows.length)]
  return row && pickUser(graph, row.subject.type, row.subject.id, random)
}
