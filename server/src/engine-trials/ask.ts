import type { CheckQuestion, Consistency, PermissionTree } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { CaveatContext, ObjectReference, Relationship, SubjectReference } from '@passport/permissions/relationship'
import { printRelationship } from '@passport/permissions/relationship-text'
import type { CheckOfWorld, Question } from './arbitrary-permissions.ts'
import type { MemoryEngine } from './memory-engine.ts'

/** An answer of an engine in a form that two engines share: text, the fault, or what broke. */
export type Answer = { is: string[] } | { fault: string; field: string | undefined } | { fails: string }

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

function toCheck(question: {
  resource: string
  permission: string
  subject: string
  context: CaveatContext
}): CheckQuestion {
  const { resource, permission, subject, context } = question
  return { resource: readObject(resource), permission, subject: readSubject(subject), context }
}

const options: { consistency: Consistency } = { consistency: { kind: 'fullyConsistent' } }

/** Asks all at once; each answer in the form of a single one. */
export async function askInBulk(engine: MemoryEngine, questions: CheckOfWorld[]): Promise<Answer[]> {
  const { answers } = await engine.checkBulk(questions.map(toCheck), options)
  return answers.map((answer) => {
    if ('fault' in answer) return { fault: answer.fault.code, field: answer.fault.field }
    return { is: [printVerdict(answer)] }
  })
}

/** Asks and brings the answer into that form; of lookups and reads every page, of `limit` each. */
export async function ask(engine: MemoryEngine, question: Question, limit: number): Promise<Answer> {
  try {
    return { is: await answer(engine, question, limit) }
  } catch (error) {
    if (error instanceof PermissionFault) return { fault: error.code, field: error.field }
    return { fails: String(error instanceof Error ? error.stack : error) }
  }
}

async function answer(engine: MemoryEngine, question: Question, limit: number): Promise<string[]> {
  switch (question.ask) {
    case 'check':
      return [printVerdict(await engine.check(toCheck(question), options))]
    case 'resources': {
      const { type: resourceType, permission, subject, context } = question
      const asked = { resourceType, permission, subject: readSubject(subject), context, limit }
      return everyPage(async (cursor) => {
        const page = await engine.lookupResources({ ...asked, ...cursor }, options)
        return { ...page, items: page.items.map(printFound) }
      })
    }
    case 'subjects': {
      const { type: subjectType, relation } = readKind(question.subject)
      const { permission, context, wildcards } = question
      const resource = readObject(question.resource)
      const asked = {
        resource,
        permission,
        subjectType,
        ...(relation && { subjectRelation: relation }),
        context,
        ...(wildcards && { wildcards }),
        limit,
      }
      return everyPage(async (cursor) => {
        const page = await engine.lookupSubjects({ ...asked, ...cursor }, options)
        return { ...page, items: page.items.map(printSubject) }
      })
    }
    case 'expand': {
      const asked = { resource: readObject(question.resource), permission: question.permission }
      return [printTree((await engine.expand(asked, options)).tree)]
    }
    case 'read':
      return everyPage(async (cursor) => {
        const page = await engine.readRelationships(question.filter, { limit, ...cursor }, options)
        return { ...page, items: page.items.map(printRow) }
      })
    case 'write':
      await engine.writeRelationships([{ operation: 'touch', relationship: question.relationship }])
      return ['written']
  }
}

async function everyPage(
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

/** The names in a context in one order: a message of SpiceDB has none. */
function printRow({ caveat, ...row }: Relationship): string {
  const context = Object.fromEntries(
    Object.entries(caveat?.context ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  return printRelationship({ ...row, ...(caveat && { caveat: { name: caveat.name, context } }) })
}

const signs = { union: '+', intersection: '&', exclusion: '-' }

/**
 * `document:one#view(+ document:one#viewer{user:ann})`: what has no order sorted, without caveats and expirations, of
 * which SpiceDB tells none.
 */
function printTree({ resource, permission, node }: PermissionTree): string {
  const place = `${resource.type}:${resource.id}#${permission}`
  if (node.kind === 'leaf') {
    const subjects = node.subjects.map(({ subject: { type, id, relation } }) => {
      return `${type}:${id}${relation === undefined ? '' : `#${relation}`}`
    })
    return `${place}{${subjects.sort().join(', ')}}`
  }
  const children = node.children.map(printTree)
  if (node.kind !== 'exclusion') children.sort()
  return `${place}(${[signs[node.kind], ...children].join(' ')})`
}

function readKind(text: string): { type: string; relation?: string } {
  const [type = '', relation] = text.split('#')
  return { type, ...(relation !== undefined && { relation }) }
}

type Found = { id: string; permissionship: string; missing: string[] }

function printVerdict({ permissionship, missing }: Omit<Found, 'id'>): string {
  return permissionship === 'conditional' ? `conditional: ${missing.join(' ')}` : permissionship
}

/** `one`, or `one? day` where it needs the day. */
function printFound({ id, permissionship, missing }: Found): string {
  return permissionship === 'conditional' ? `${id}? ${missing.join(' ')}` : id
}

function printSubject({ excluded, ...subject }: Found & { excluded: Found[] }): string {
  return printFound(subject) + (excluded.length > 0 ? ` - ${excluded.map(printFound).join(', ')}` : '')
}
