import type { Question } from './arbitrary-permissions.ts'
import { type Answer, ask } from './ask.ts'
import type { MemoryEngine } from './memory-engine.ts'

type Lookup = Question & { ask: 'resources' | 'subjects' }

/** As one line of an answer of a lookup says it: `one`, `one? day`, `* - ann, bob? day`. */
interface Row {
  permissionship: string
  excluded: Map<string, string>
}

/**
 * Whether SpiceDB's own check says of every id on which two lookups differ, and of a stranger, what ours says. Then its
 * lookup contradicts its check, and the check is believed: it looks at one path at a time.
 */
export async function contradictsItself(
  engine: MemoryEngine,
  question: Question,
  theirs: Answer,
  ours: Answer,
): Promise<boolean> {
  if (!isLookup(question) || !('is' in theirs) || !('is' in ours)) return false
  const our = readRows(ours.is)
  for (const [id, verdict] of await checkEach(engine, question, [...theirs.is, ...ours.is])) {
    if (!('is' in verdict) || verdict.is[0]?.split(':')[0] !== meaningFor(our, id)) return false
  }
  return true
}

/** Whether SpiceDB's own check says of every id of a lookup, and of a stranger, what ours says, or cannot tell for a circle. */
export async function agreesWhereItAnswers(engine: MemoryEngine, question: Question, ours: Answer): Promise<boolean> {
  if (!isLookup(question) || !('is' in ours)) return false
  const our = readRows(ours.is)
  for (const [id, verdict] of await checkEach(engine, question, ours.is)) {
    const isUnknown = 'fault' in verdict && verdict.fault === 'depth-exceeded'
    if (!isUnknown && !('is' in verdict && verdict.is[0]?.split(':')[0] === meaningFor(our, id))) return false
  }
  return true
}

async function checkEach(engine: MemoryEngine, question: Lookup, lines: string[]): Promise<Map<string, Answer>> {
  const ids = [...readRows(lines)].flatMap(([id, { excluded }]) => [id, ...excluded.keys()])
  // Of a stranger nothing is known where wildcards are left out.
  const strangers = question.ask === 'subjects' && question.wildcards ? [] : ['stranger']
  const verdicts = new Map<string, Answer>()
  for (const id of new Set([...ids, ...strangers]))
    if (id !== '*') verdicts.set(id, await ask(engine, checkOf(question, id), 1))
  return verdicts
}

function isLookup(question: Question): question is Lookup {
  return question.ask === 'resources' || question.ask === 'subjects'
}

function checkOf(question: Lookup, id: string): Question {
  const { permission, context, subject } = question
  if (question.ask === 'resources') {
    return { ask: 'check', resource: `${question.type}:${id}`, permission, subject, context }
  }
  const [type = '', relation] = subject.split('#')
  const named = `${type}:${id}${relation === undefined ? '' : `#${relation}`}`
  return { ask: 'check', resource: question.resource, permission, subject: named, context }
}

function readRows(lines: string[]): Map<string, Row> {
  return new Map(
    lines.map((line) => {
      const [found = '', excluded = ''] = line.split(' - ')
      const exclusions = excluded.split(', ').filter((text) => text !== '')
      return [idOf(found), { permissionship: permissionshipOf(found), excluded: new Map(exclusions.map(exclusion)) }]
    }),
  )
}

function exclusion(text: string): [id: string, permissionship: string] {
  return [idOf(text), text.includes('?') ? 'conditional' : 'noPermission']
}

function idOf(text: string): string {
  return text.split('?')[0] ?? ''
}

function permissionshipOf(text: string): string {
  return text.includes('?') ? 'conditional' : 'hasPermission'
}

const strength = ['noPermission', 'conditional', 'hasPermission']

/** Who is told beside everyone has the more of both. */
function meaningFor(rows: Map<string, Row>, id: string): string {
  const everyone = rows.get('*')
  const own = rows.get(id)?.permissionship ?? 'noPermission'
  const shared = everyone?.excluded.get(id) ?? everyone?.permissionship ?? 'noPermission'
  return strength.indexOf(own) > strength.indexOf(shared) ? own : shared
}
