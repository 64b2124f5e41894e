import type { NewAssertion } from '@passport/contract/permissions'
import type { FoundSubject, PermissionEngine, Permissionship, SubjectsQuestion } from '@passport/permissions/engine'
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

/** The most subjects that are compared. */
const maxSubjects = 10_000
const onPage = 1000

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
  return { holds: wanted.size === got.length && got.every((subject) => wanted.has(spelt(subject))), got }
}

/** What is in brackets: `[user:ada] is <document:a#viewer>` is about `user:ada`. */
const subjectIn = (line: string): string => spelt(/^\s*\[(.+)\](?:\s+is\s.*)?\s*$/s.exec(line)?.[1] ?? line)

/** The same for those that are left out in another order: `user:* - {user:ada, user:eve}`. */
function spelt(subject: string): string {
  const [, all, but] = /^(.+?)\s*-\s*\{(.*)\}$/s.exec(subject.trim()) ?? []
  return all === undefined || but === undefined
    ? subject.trim()
    : left(
        all.trim(),
        but.split(',').map((one) => one.trim()),
      )
}

const left = (all: string, but: string[]) => `${all} - {${but.toSorted().join(', ')}}`

/** Everyone who has it, as the file spells them: `user:ada`, `user:ada[...]` conditionally, `user:* - {user:eve}`. */
async function subjectsOf(engine: PermissionEngine, question: Extract<NewAssertion, { kind: 'validation' }>) {
  const { resource, permission } = question
  const definition = (await engine.reflectSchema()).definitions.find(({ name }) => name === resource.type)
  if (!definition)
    throw new PermissionFault('unknown-type', `The schema has no type ${resource.type}.`, 'resource.type')
  const asked = [...definition.permissions, ...definition.relations].find(({ name }) => name === permission)
  if (!asked) throw new PermissionFault('unknown-permission', `${resource.type} has no ${permission}.`, 'permission')
  const told: string[] = []
  for (const { type, relation } of asked.subjects) {
    const spell = ({ id, permissionship }: Pick<FoundSubject, 'id' | 'permissionship'>) =>
      `${type}:${id}${relation ? `#${relation}` : ''}${permissionship === 'conditional' ? '[...]' : ''}`
    for await (const found of allSubjects(engine, {
      resource,
      permission,
      subjectType: type,
      ...(relation && { subjectRelation: relation }),
    })) {
      if (told.length >= maxSubjects)
        throw new PermissionFault('too-much-work', `More than ${maxSubjects} subjects are not compared.`)
      told.push(found.excluded.length > 0 ? left(spell(found), found.excluded.map(spell)) : spell(found))
    }
  }
  return told
}

type Wanted = Omit<SubjectsQuestion, 'limit' | 'cursor'>

async function* allSubjects(engine: PermissionEngine, question: Wanted): AsyncGenerator<FoundSubject> {
  let cursor: string | undefined
  do {
    const page = await engine.lookupSubjects(
      { ...question, limit: onPage, ...(cursor !== undefined && { cursor }) },
      { consistency: { kind: 'fullyConsistent' } },
    )
    yield* page.items
    cursor = page.cursor
  } while (cursor !== undefined)
}
