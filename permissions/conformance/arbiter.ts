import type { Question } from './arbitrary-permissions.ts'
import { type Answer, evaluate } from './evaluate.ts'
import type { MemoryEngine } from './memory-engine.ts'

type Lookup = Question & { kind: 'resources' | 'subjects' }

/** A parsed line of a lookup result: `one`, `one? day`, `* - ann, bob? day`. */
interface Row {
  permissionship: string
  excluded: Map<string, string>
}

/**
 * Reports whether SpiceDB's own check agrees with our lookup on every differing id and an unknown one. If so, its
 * lookup contradicts its check, and the check is trusted because it evaluates one path at a time.
 */
export async function contradictsItself(
  engine: MemoryEngine,
  question: Question,
  theirs: Answer,
  ours: Answer,
): Promise<boolean> {
  if (!isLookup(question) || !('is' in theirs) || !('is' in ours)) return false
  const ourRows = readRows(ours.is)
  for (const [id, verdict] of await checkEach(engine, question, [...theirs.is, ...ours.is])) {
    if (!('is' in verdict) || verdict.is[0]?.split(':')[0] !== permissionshipFor(ourRows, id)) return false
  }
  return true
}

/**
 * Reports whether SpiceDB's own check agrees with our lookup on every id and an unknown one, ignoring checks that fail
 * on a cycle.
 */
export async function agreesWhereItAnswers(engine: MemoryEngine, question: Question, ours: Answer): Promise<boolean> {
  if (!isLookup(question) || !('is' in ours)) return false
  const ourRows = readRows(ours.is)
  for (const [id, verdict] of await checkEach(engine, question, ours.is)) {
    const isUnknown = 'fault' in verdict && verdict.fault === 'depth-exceeded'
    if (!isUnknown && !('is' in verdict && verdict.is[0]?.split(':')[0] === permissionshipFor(ourRows, id)))
      return false
  }
  return true
}

async function checkEach(engine: MemoryEngine, question: Lookup, lines: string[]): Promise<Map<string, Answer>> {
  const ids = [...readRows(lines)].flatMap(([id, { excluded }]) => [id, ...excluded.keys()])
  // Without wildcards the result says nothing about unknown subjects.
  const unknownIds = question.kind === 'subjects' && question.wildcards ? [] : ['stranger']
  const verdicts = new Map<string, Answer>()
  for (const id of new Set([...ids, ...unknownIds]))
    if (id !== '*') verdicts.set(id, await evaluate(engine, toCheck(question, id), 1))
  return verdicts
}

function isLookup(question: Question): question is Lookup {
  return question.kind === 'resources' || question.kind === 'subjects'
}

function toCheck(question: Lookup, id: string): Question {
  const { permission, context, subject } = question
  if (question.kind === 'resources') {
    return { kind: 'check', resource: `${question.type}:${id}`, permission, subject, context }
  }
  const [type = '', relation] = subject.split('#')
  const subjectText = `${type}:${id}${relation === undefined ? '' : `#${relation}`}`
  return { kind: 'check', resource: question.resource, permission, subject: subjectText, context }
}

function readRows(lines: string[]): Map<string, Row> {
  return new Map(
    lines.map((line) => {
      const [item = '', excluded = ''] = line.split(' - ')
      const exclusions = excluded.split(', ').filter((text) => text !== '')
      return [
        parseId(item),
        { permissionship: parsePermissionship(item), excluded: new Map(exclusions.map(exclusion)) },
      ]
    }),
  )
}

function exclusion(text: string): [id: string, permissionship: string] {
  return [parseId(text), text.includes('?') ? 'conditional' : 'noPermission']
}

function parseId(text: string): string {
  return text.split('?')[0] ?? ''
}

function parsePermissionship(text: string): string {
  return text.includes('?') ? 'conditional' : 'hasPermission'
}

const strength = ['noPermission', 'conditional', 'hasPermission']

/** A subject listed besides the wildcard has the stronger of both results. */
function permissionshipFor(rows: Map<string, Row>, id: string): string {
  const everyone = rows.get('*')
  const own = rows.get(id)?.permissionship ?? 'noPermission'
  const shared = everyone?.excluded.get(id) ?? everyone?.permissionship ?? 'noPermission'
  return strength.indexOf(own) > strength.indexOf(shared) ? own : shared
}
