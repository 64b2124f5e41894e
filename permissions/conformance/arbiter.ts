import type { EngineRequest } from './arbitrary-permissions.ts'
import { evaluate, type Result } from './evaluate.ts'
import type { MemoryEngine } from './memory-engine.ts'

type Lookup = EngineRequest & { kind: 'resources' | 'subjects' }

/** A parsed line of a lookup result: `one`, `one? day`, `* - ann, bob? day`. */
interface Row {
  permissionship: string
  excluded: Map<string, string>
}

/**
 * Reports whether SpiceDB's own check agrees with our lookup, on every id that either lookup found and on an unknown
 * one. The check is trusted because it evaluates one path at a time. If SpiceDB's lookup failed, checks that fail on a
 * cycle are ignored.
 */
export async function checkConfirms(
  engine: MemoryEngine,
  request: EngineRequest,
  theirs: Result,
  ours: Result,
): Promise<boolean> {
  if (!isLookup(request) || !('is' in ours)) return false
  const ourRows = parseRows(ours.is)
  const lines = 'is' in theirs ? [...theirs.is, ...ours.is] : ours.is
  for (const [id, verdict] of await checkEach(engine, request, lines)) {
    const isOnCycle = !('is' in theirs) && 'error' in verdict && verdict.error === 'depth-exceeded'
    const permissionship = 'is' in verdict ? verdict.is[0]?.split(':')[0] : undefined
    if (!isOnCycle && permissionship !== permissionshipFor(ourRows, id)) return false
  }
  return true
}

async function checkEach(engine: MemoryEngine, request: Lookup, lines: string[]): Promise<Map<string, Result>> {
  const ids = [...parseRows(lines)].flatMap(([id, { excluded }]) => [id, ...excluded.keys()])
  // A lookup without wildcards has no result for unknown subjects.
  const unknownIds = request.kind === 'subjects' && request.wildcards ? [] : ['stranger']
  const verdicts = new Map<string, Result>()
  for (const id of new Set([...ids, ...unknownIds]))
    if (id !== '*') verdicts.set(id, await evaluate(engine, toCheck(request, id), 1))
  return verdicts
}

function isLookup(request: EngineRequest): request is Lookup {
  return request.kind === 'resources' || request.kind === 'subjects'
}

function toCheck(request: Lookup, id: string): EngineRequest {
  const { permission, context, subject } = request
  if (request.kind === 'resources') {
    return { kind: 'check', resource: `${request.type}:${id}`, permission, subject, context }
  }
  const [type = '', relation] = subject.split('#')
  const subjectText = `${type}:${id}${relation === undefined ? '' : `#${relation}`}`
  return { kind: 'check', resource: request.resource, permission, subject: subjectText, context }
}

function parseRows(lines: string[]): Map<string, Row> {
  return new Map(
    lines.map((line) => {
      const [item = '', excluded = ''] = line.split(' - ')
      const exclusions = excluded.split(', ').filter((text) => text !== '')
      return [
        parseId(item),
        { permissionship: parsePermissionship(item), excluded: new Map(exclusions.map(parseExclusion)) },
      ]
    }),
  )
}

function parseExclusion(text: string): [id: string, permissionship: string] {
  return [parseId(text), text.includes('?') ? 'conditional' : 'noPermission']
}

function parseId(text: string): string {
  return text.split('?')[0] ?? ''
}

function parsePermissionship(text: string): string {
  return text.includes('?') ? 'conditional' : 'hasPermission'
}

const strength = ['noPermission', 'conditional', 'hasPermission']

/** Returns the stronger of the results for an id: its own and that of the wildcard. */
function permissionshipFor(rows: Map<string, Row>, id: string): string {
  const everyone = rows.get('*')
  const own = rows.get(id)?.permissionship ?? 'noPermission'
  const shared = everyone?.excluded.get(id) ?? everyone?.permissionship ?? 'noPermission'
  return strength.indexOf(own) > strength.indexOf(shared) ? own : shared
}
