import type { CheckRequest, Consistency, PermissionTree } from '../src/engine.ts'
import { PermissionError } from '../src/error.ts'
import type { ObjectReference, Relationship, SubjectReference } from '../src/graph/relationship.ts'
import { printRelationship } from '../src/graph/relationship-text.ts'
import type { CheckOfWorld, EngineRequest } from './arbitrary-permissions.ts'
import type { MemoryEngine } from './memory-engine.ts'

/** An answer in a form comparable across engines: text, an error, or an unexpected error. */
export type Result = { is: string[] } | { error: string; field: string | undefined } | { fails: string }

/** `document:one` */
function readObject(text: string): ObjectReference {
  const [type = '', id = ''] = text.split(':')
  return { type, id }
}

/** `user:ann`, `user:*` or `group:one#member` */
export function readSubject(text: string): SubjectReference {
  const [object = '', relation] = text.split('#')
  return { ...readObject(object), ...(relation !== undefined && { relation }) }
}

function toCheck({ resource, permission, subject, context }: Omit<CheckOfWorld, 'kind'>): CheckRequest {
  return { resource: readObject(resource), permission, subject: readSubject(subject), context }
}

const options: { consistency: Consistency } = { consistency: { kind: 'fullyConsistent' } }

/** Asks all in bulk; each answer has the form of a single one. */
export async function evaluateInBulk(engine: MemoryEngine, requests: CheckOfWorld[]): Promise<Result[]> {
  const { results } = await engine.checkBulk(requests.map(toCheck), options)
  return results.map((result) => {
    if ('error' in result) return { error: result.error.code, field: result.error.field }
    return { is: [printVerdict(result)] }
  })
}

/** Sends a request and normalises the result; lookups and reads return all pages, of `limit` items each. */
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
      const lookup = { resourceType, permission, subject: readSubject(subject), context, limit }
      return readAllPages(async (cursor) => {
        const page = await engine.lookupResources({ ...lookup, ...cursor }, options)
        return { ...page, items: page.items.map(printFound) }
      })
    }
    case 'subjects': {
      const { type: subjectType, relation } = readKind(request.subject)
      const { permission, context, wildcards } = request
      const resource = readObject(request.resource)
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
      const node = { resource: readObject(request.resource), permission: request.permission }
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

function readKind(text: string): { type: string; relation?: string } {
  const [type = '', relation] = text.split('#')
  return { type, ...(relation !== undefined && { relation }) }
}

type LookupItem = { id: string; permissionship: string; missing: string[] }

function printVerdict({ permissionship, missing }: Omit<LookupItem, 'id'>): string {
  return permissionship === 'conditional' ? `conditional: ${missing.join(' ')}` : permissionship
}

/** Prints `one`, or `one? day` if it needs the day. */
function printFound({ id, permissionship, missing }: LookupItem): string {
  return permissionship === 'conditional' ? `${id}? ${missing.join(' ')}` : id
}

function printSubject({ excluded, ...subject }: LookupItem & { excluded: LookupItem[] }): string {
  return printFound(subject) + (excluded.length > 0 ? ` - ${excluded.map(printFound).join(', ')}` : '')
}

/** Reports whether two answers are equal. Order is ignored: ours is by id, SpiceDB's is unspecified. */
export function isSame(theirs: Result, ours: Result): boolean {
  if ('is' in theirs && 'is' in ours) return theirs.is.toSorted().join('\n') === ours.is.toSorted().join('\n')
  return 'error' in theirs && 'error' in ours && theirs.error === ours.error && theirs.field === ours.field
}
