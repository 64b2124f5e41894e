import type { CheckRequest, Consistency, PermissionTree } from '../src/engine.ts'
import { PermissionError } from '../src/error.ts'
import type { ObjectReference, Relationship, SubjectReference } from '../src/graph/relationship.ts'
import { printRelationship } from '../src/graph/relationship-text.ts'
import type { CheckEngineRequest, EngineRequest } from './arbitrary-permissions.ts'
import type { MemoryEngine } from './memory-engine.ts'

/** A result in a form that is comparable across engines: texts, an error of the request, or an unexpected error. */
export type Result = { is: string[] } | { error: string; field: string | undefined } | { fails: string }

/** Parses `document:one`. */
function parseObject(text: string): ObjectReference {
  const [type = '', id = ''] = text.split(':')
  return { type, id }
}

/** Parses `user:ann`, `user:*` or `group:one#member`, or without an id, `user` or `group#member`. */
export function parseSubject(text: string): SubjectReference {
  const [object = '', relation] = text.split('#')
  return { ...parseObject(object), ...(relation !== undefined && { relation }) }
}

function toCheck({ resource, permission, subject, context }: Omit<CheckEngineRequest, 'kind'>): CheckRequest {
  return { resource: parseObject(resource), permission, subject: parseSubject(subject), context }
}

const options: { consistency: Consistency } = { consistency: { kind: 'fullyConsistent' } }

/** Evaluates checks in bulk, with the results of `evaluate`. */
export async function evaluateInBulk(engine: MemoryEngine, requests: CheckEngineRequest[]): Promise<Result[]> {
  const { results } = await engine.checkBulk(requests.map(toCheck), options)
  return results.map((result) => {
    if ('error' in result) return { error: result.error.code, field: result.error.field }
    return { is: [printVerdict(result)] }
  })
}

/** Sends a request and converts its result. Reads all pages of lookups and reads, with `limit` items each. */
export async function evaluate(engine: MemoryEngine, request: EngineRequest, limit: number): Promise<Result> {
  try {
    return { is: await evaluateKind(engine, request, limit) }
  } catch (error) {
    if (error instanceof PermissionError) return { error: error.code, field: error.field }
    return { fails: String(error instanceof Error ? error.stack : error) }
  }
}

async function evaluateKind(engine: MemoryEngine, request: EngineRequest, limit: number): Promise<string[]> {
  switch (request.kind) {
    case 'check':
      return [printVerdict(await engine.check(toCheck(request), options))]
    case 'resources': {
      const { type: resourceType, permission, subject, context } = request
      const lookup = { resourceType, permission, subject: parseSubject(subject), context, limit }
      return readAllPages(async (cursor) => {
        const page = await engine.lookupResources({ ...lookup, ...cursor }, options)
        return { ...page, items: page.items.map(printFound) }
      })
    }
    case 'subjects': {
      const { type: subjectType, relation } = parseSubject(request.subject)
      const { permission, context, wildcards } = request
      const resource = parseObject(request.resource)
      const lookup = {
        resource,
        permission,
        subjectType,
        ...(relation && { subjectRelation: relation }),
        context,
        ...(wildcards && { wildcards }),
        limit,
      }
      return readAllPages(async (cursor) => {
        const page = await engine.lookupSubjects({ ...lookup, ...cursor }, options)
        return { ...page, items: page.items.map(printSubject) }
      })
    }
    case 'expand': {
      const node = { resource: parseObject(request.resource), permission: request.permission }
      return [printTree((await engine.expand(node, options)).tree)]
    }
    case 'read':
      return readAllPages(async (cursor) => {
        const page = await engine.readRelationships(request.filter, { limit, ...cursor }, options)
        return { ...page, items: page.items.map(printRow) }
      })
    case 'write':
      await engine.writeRelationships([{ operation: 'touch', relationship: request.relationship }])
      return ['written']
  }
}

async function readAllPages(
  read: (cursor: { cursor?: string }) => Promise<{ items: string[]; cursor?: string }>,
): Promise<string[]> {
  const items: string[] = []
  let cursor: { cursor?: string } = {}
  do {
    const page = await read(cursor)
    items.push(...page.items)
    cursor = page.cursor === undefined ? {} : { cursor: page.cursor }
  } while (cursor.cursor !== undefined)
  return items
}

/** Sorts the names in a context, because SpiceDB's messages do not order them. */
function printRow({ caveat, ...row }: Relationship): string {
  const context = Object.fromEntries(Object.entries(caveat?.context ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return printRelationship({ ...row, ...(caveat && { caveat: { name: caveat.name, context } }) })
}

const signs = { union: '+', intersection: '&', exclusion: '-' }

/**
 * Prints a tree as `document:one#view(+ document:one#viewer{user:ann})`, sorting unordered parts. Omits caveats and
 * expirations, which SpiceDB does not return.
 */
function printTree({ resource, permission, node }: PermissionTree): string {
  const userset = `${resource.type}:${resource.id}#${permission}`
  if (node.kind === 'leaf') {
    const subjects = node.subjects.map(({ subject: { type, id, relation } }) => {
      return `${type}:${id}${relation === undefined ? '' : `#${relation}`}`
    })
    return `${userset}{${subjects.sort().join(', ')}}`
  }
  const children = node.children.map(printTree)
  if (node.kind !== 'exclusion') children.sort()
  return `${userset}(${[signs[node.kind], ...children].join(' ')})`
}

type LookupItem = { id: string; permissionship: string; missing: string[] }

function printVerdict({ permissionship, missing }: Omit<LookupItem, 'id'>): string {
  return permissionship === 'conditional' ? `conditional: ${missing.join(' ')}` : permissionship
}

/** Prints `one`, or `one? day` if it depends on the day. */
function printFound({ id, permissionship, missing }: LookupItem): string {
  return permissionship === 'conditional' ? `${id}? ${missing.join(' ')}` : id
}

function printSubject({ excluded, ...subject }: LookupItem & { excluded: LookupItem[] }): string {
  return printFound(subject) + (excluded.length > 0 ? ` - ${excluded.map(printFound).join(', ')}` : '')
}

/** Reports whether two results are equal, except for their order, which SpiceDB does not specify. */
export function isSame(theirs: Result, ours: Result): boolean {
  if ('is' in theirs && 'is' in ours) return theirs.is.toSorted().join('\n') === ours.is.toSorted().join('\n')
  return 'error' in theirs && 'error' in ours && theirs.error === ours.error && theirs.field === ours.field
}
