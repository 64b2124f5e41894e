import type { NewAssertion } from '@passport/contract/permissions'
import {
  type ErrorCode,
  type FoundSubject,
  type PermissionEngine,
  PermissionError,
  type Permissionship,
  type PermissionTree,
  type SubjectReference,
  unknownMember,
  unknownType,
} from '@passport/permissions'
import type { SavedAssertion } from './assertion-store.ts'
import { readPages } from './cursor.ts'
import { toItemProblem } from './error-problem.ts'
import { createDeadline, createYielder } from './yield-if-due.ts'

const expected: Record<Exclude<NewAssertion['kind'], 'validation'>, Permissionship> = {
  assertTrue: 'hasPermission',
  assertFalse: 'noPermission',
  assertCaveated: 'conditional',
}

/** The maximum number of subjects to compare with a validation. */
const maxSubjects = 10_000
const pageSize = 1000

/** The time after which the remaining assertions fail with `too-much-work`. */
const maxMs = 30_000

const fullyConsistent = { consistency: { kind: 'fullyConsistent' } } as const

/** Runs all assertions; an error in one does not affect the others. */
export async function runAssertions(
  engine: PermissionEngine,
  saved: SavedAssertion[],
  isExpired = createDeadline(maxMs),
) {
  const { readAt } = await engine.readSchema()
  const items = []
  const yieldIfDue = createYielder()
  for (const { id, assertion } of saved) {
    await yieldIfDue()
    items.push({ id, assertion, ...(isExpired() ? skipped : await runAssertion(engine, assertion)) })
  }
  return { items, failed: items.filter(({ holds }) => !holds).length, checkedAt: readAt }
}

const skipped = {
  holds: false,
  got: [],
  error: { code: 'too-much-work' satisfies ErrorCode, message: 'Time budget exhausted by earlier assertions.' },
}

async function runAssertion(engine: PermissionEngine, assertion: NewAssertion) {
  try {
    return await evaluateAssertion(engine, assertion)
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    return { holds: false, got: [], error: toItemProblem(error) }
  }
}

/** Evaluates an assertion. Rejects with a `PermissionError` if its check or lookup is invalid or fails. */
export async function evaluateAssertion(engine: PermissionEngine, assertion: NewAssertion) {
  if (assertion.kind !== 'validation') {
    const { permissionship } = await engine.check(assertion.question, fullyConsistent)
    return { holds: permissionship === expected[assertion.kind], got: [permissionship] }
  }
  const got = await findSubjects(engine, assertion)
  const expectedSubjects = new Set(assertion.subjects.map(parseSubject))
  return {
    holds:
      expectedSubjects.size === got.length && got.every((subject) => expectedSubjects.has(normaliseSubject(subject))),
    got,
  }
}

/** Parses the subject of an expected line: that of `[user:ada] is <document:a#viewer>` is `user:ada`. */
const parseSubject = (line: string): string =>
  normaliseSubject(/^\s*\[(.+)\](?:\s+is\s.*)?\s*$/s.exec(line)?.[1] ?? line)

/** Sorts the excluded subjects: `user:* - {user:ada, user:eve}`. */
export function normaliseSubject(subject: string): string {
  const text = subject.trim()
  const opening = text.indexOf('{')
  const before = text.slice(0, Math.max(opening, 0)).trimEnd()
  const wildcard = before.slice(0, -1).trimEnd()
  if (!before.endsWith('-') || wildcard === '' || !text.endsWith('}')) return text
  const ids = text.slice(opening + 1, -1).split(',')
  return printWildcard(
    wildcard,
    ids.map((part) => part.trim()),
  )
}

const printWildcard = (wildcard: string, excluded: string[]) => `${wildcard} - {${excluded.toSorted().join(', ')}}`

/**
 * Returns the subjects as in a validation file: `user:ada`, `user:ada[...]` if conditional, `user:* - {user:eve}`. As SpiceDB's
 * tools do, returns only those usersets that a relationship on the way to the subjects names, not their parts.
 */
async function findSubjects(engine: PermissionEngine, request: Extract<NewAssertion, { kind: 'validation' }>) {
  const { resource, permission } = request
  const definition = (await engine.reflectSchema()).definitions.find(({ name }) => name === resource.type)
  if (!definition) throw unknownType(resource.type, 'resource.type')
  const member = [...definition.permissions, ...definition.relations].find(({ name }) => name === permission)
  if (!member) throw unknownMember('unknown-permission', { type: resource.type, name: permission }, 'permission')
  const subjects: string[] = []
  let named: Set<string> | undefined
  for (const { type: subjectType, relation } of member.subjects) {
    const format = ({ id, permissionship }: Pick<FoundSubject, 'id' | 'permissionship'>) =>
      `${subjectType}:${id}${relation ? `#${relation}` : ''}${permissionship === 'conditional' ? '[...]' : ''}`
    const lookup = {
      resource,
      permission,
      subjectType,
      limit: pageSize,
      ...(relation && { subjectRelation: relation }),
    }
    for await (const items of readPages((page) => engine.lookupSubjects({ ...lookup, ...page }, fullyConsistent))) {
      if (subjects.length + items.length > maxSubjects)
        throw new PermissionError('too-much-work', `At most ${maxSubjects} subjects can be compared.`)
      if (relation && items.length > 0) named ??= await listNamedUsersets(engine, request)
      for (const { excluded, ...subject } of items) {
        if (relation && !named?.has(printUserset(subjectType, subject.id, relation))) continue
        const text = format(subject)
        subjects.push(excluded.length > 0 ? printWildcard(text, excluded.map(format)) : text)
      }
    }
  }
  return subjects
}

const printUserset = (type: string, id: string, relation: string) => `${type}:${id}#${relation}`

/** Returns the usersets that relationships name, from a permission of a resource down to its subjects. */
async function listNamedUsersets(
  engine: PermissionEngine,
  { resource, permission }: Extract<NewAssertion, { kind: 'validation' }>,
): Promise<Set<string>> {
  const named = new Set<string>()
  const pending = [{ resource, permission }]
  const yieldIfDue = createYielder()
  for (let request = pending.pop(); request; request = pending.pop()) {
    await yieldIfDue()
    const { tree } = await engine.expand(request, fullyConsistent)
    for (const { type, id, relation } of listSubjects(tree)) {
      const userset = relation && printUserset(type, id, relation)
      if (!userset || named.has(userset)) continue
      if (named.size === maxSubjects)
        throw new PermissionError('too-much-work', `At most ${maxSubjects} subjects can be compared.`)
      named.add(userset)
      pending.push({ resource: { type, id }, permission: relation })
    }
  }
  return named
}

function* listSubjects({ node }: PermissionTree): Generator<SubjectReference> {
  if (node.kind === 'leaf') for (const { subject } of node.subjects) yield subject
  else for (const child of node.children) yield* listSubjects(child)
}
