import type { NewAssertion } from '@passport/contract/permissions'
import type { PermissionEngine, Permissionship } from '@passport/permissions/engine'
import { type FaultCode, PermissionFault } from '@passport/permissions/fault'
import type { SavedAssertion } from './assertion-store.ts'
import { toldInPlace } from './fault-problem.ts'
import { deadlineIn, takingTurns } from './turns.ts'

const expected: Record<Exclude<NewAssertion['kind'], 'validation'>, Permissionship> = {
  assertTrue: 'hasPermission',
  assertFalse: 'noPermission',
  assertCaveated: 'conditional',
}

/** More are not saved, because all are tried at once. */
export const maxAssertions = 1000

/** The most of each kind of subject that are compared. */
const maxSubjects = 1000

/** Those that are left then are told as too much work. */
const maxMs = 30_000

/** Tries what must hold, one by one, so that what cannot be answered spoils no other. */
export async function runAssertions(engine: PermissionEngine, saved: SavedAssertion[], isOver = deadlineIn(maxMs)) {
  const { readAt } = await engine.readSchema()
  const items = []
  const takeTurns = takingTurns()
  for (const { id, assertion } of saved) {
    await takeTurns()
    items.push({ id, assertion, ...(isOver() ? leftOut : await run(engine, assertion)) })
  }
  return { items, failed: items.filter(({ holds }) => !holds).length, checkedAt: readAt }
}

const leftOut = {
  holds: false,
  got: [],
  error: { code: 'too-much-work' satisfies FaultCode, message: 'Those before it took all the time that there is.' },
}

/** Tells the fault of what cannot be asked beside it. */
async function run(engine: PermissionEngine, assertion: NewAssertion) {
  try {
    return await tryOut(engine, assertion)
  } catch (error) {
    if (!(error instanceof PermissionFault)) throw error
    const { code, message, field } = error
    return { holds: false, got: [], error: toldInPlace({ code, message, ...(field !== undefined && { field }) }) }
  }
}

/** Asks it; rejects with the fault of a question that cannot be asked. */
export async function tryOut(engine: PermissionEngine, assertion: NewAssertion) {
  const consistency = { kind: 'fullyConsistent' } as const
  if (assertion.kind !== 'validation') {
    const { permissionship } = await engine.check(assertion.question, { consistency })
    return { holds: permissionship === expected[assertion.kind], got: [permissionship] }
  }
  const got = await subjectsOf(engine, assertion)
  const wanted = new Set(assertion.subjects.map(subjectIn))
  const holds = wanted.size === got.length && got.every((subject) => wanted.has(subject))
  return { holds, got }
}

/** What is in brackets: `[user:ada] is <document:a#viewer>` is about `user:ada`. */
const subjectIn = (line: string): string => /^\s*\[(.+)\](?:\s+is\s.*)?\s*$/s.exec(line)?.[1] ?? line

/** Everyone who has it, as the file spells them: `user:ada`, `user:ada[...]` conditionally, `user:* - {user:eve}`. */
async function subjectsOf(engine: PermissionEngine, question: Extract<NewAssertion, { kind: 'validation' }>) {
  const { resource, permission } = question
  const definition = (await engine.reflectSchema()).definitions.find(({ name }) => name === resource.type)
  if (!definition)
    throw new PermissionFault('unknown-type', `The schema has no type ${resource.type}.`, 'resource.type')
  const found = definition.permissions.find(({ name }) => name === permission)
  if (!found) throw new PermissionFault('unknown-permission', `${resource.type} has no ${permission}.`, 'permission')
  const told: string[] = []
  for (const { type, relation } of found.subjects) {
    const page = await engine.lookupSubjects(
      { resource, permission, subjectType: type, ...(relation && { subjectRelation: relation }), limit: maxSubjects },
      { consistency: { kind: 'fullyConsistent' } },
    )
    const spell = (id: string) => `${type}:${id}${relation ? `#${relation}` : ''}`
    for (const { id, permissionship, excluded } of page.items) {
      const but = excluded.length > 0 ? ` - {${excluded.map(({ id }) => spell(id)).join(', ')}}` : ''
      told.push(`${spell(id)}${permissionship === 'conditional' ? '[...]' : ''}${but}`)
    }
  }
  return told
}
