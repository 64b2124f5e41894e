import { isMap, isScalar, LineCounter, parseDocument, stringify } from 'yaml'
import type { CheckQuestion } from './engine.ts'
import { PermissionFault } from './fault.ts'
import type { CaveatContext, Relationship } from './relationship.ts'
import { parseRelationship, printRelationship } from './relationship-text.ts'

/** What must come out of a question. */
export interface FileAssertion {
  kind: 'assertTrue' | 'assertFalse' | 'assertCaveated'
  question: CheckQuestion
}

/** Who exactly must have a permission, such as `[user:ada] is <document:a#viewer>`. */
export interface FileValidation {
  resource: { type: string; id: string }
  permission: string
  subjects: string[]
}

/** SpiceDB's validation file; what a file leaves out is not there. */
export interface ValidationFile {
  schema?: string
  relationships: Relationship[]
  assertions?: FileAssertion[]
  validations?: FileValidation[]
}

/** A file that was refused; `problems` has each line that is wrong. */
export class FileFault extends PermissionFault {
  override name = 'FileFault'
  readonly problems: readonly { message: string; span: { start: { line: number; column: number } } }[]

  constructor(problems: { message: string; line: number; column: number }[]) {
    super('file-invalid', problems.map(({ line, message }) => `Line ${line}: ${message}`).join(' '), 'yaml')
    this.problems = problems.map(({ message, ...start }) => ({ message, span: { start } }))
  }
}

const kinds = ['assertTrue', 'assertFalse', 'assertCaveated'] as const
const known = new Set(['schema', 'relationships', 'assertions', 'validation'])

/** Reads a validation file; throws `FileFault` with all that is wrong with it. */
export function parseValidationFile(text: string): ValidationFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const problems: { message: string; line: number; column: number }[] = []
  const complain = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset)
    problems.push({ message, line, column: col })
  }
  for (const { pos, message } of document.errors) complain(pos[0], message.split('\n')[0] ?? message)
  if (problems.length > 0) throw new FileFault(problems)
  const root = document.contents
  if (!isMap(root)) throw new FileFault([{ message: 'The file is no map.', line: 1, column: 1 }])

  for (const { key } of root.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (!known.has(name)) complain(rangeOf(key), `There is nothing called ${name || 'so'} in such a file.`)
  }
  const file = (document.toJS() ?? {}) as Record<string, unknown>
  const relationships: Relationship[] = []
  const attempt = (offset: number, work: () => void) => {
    try {
      work()
    } catch (error) {
      complain(offset, (error as Error).message)
    }
  }

  const block = root.get('relationships', true)
  if (typeof file['relationships'] === 'string' && isScalar(block)) {
    for (const { line, offset } of linesOf(text, rangeOf(block), file['relationships']))
      attempt(offset, () => relationships.push(parseRelationship(line)))
  } else if (file['relationships'] != null)
    complain(rangeOf(block), 'The relationships are a text with one on each line.')
  const { schema } = file
  if (schema != null && typeof schema !== 'string') complain(rangeOf(root.get('schema', true)), 'The schema is a text.')

  const assertions: FileAssertion[] = []
  const asserted = (file['assertions'] ?? {}) as Record<string, unknown>
  const atAssertions = rangeOf(root.get('assertions', true))
  for (const kind of kinds) {
    for (const line of textsIn(asserted[kind]))
      attempt(atAssertions, () => assertions.push({ kind, question: parseAssertion(line) }))
  }
  const validations: FileValidation[] = []
  const atValidation = rangeOf(root.get('validation', true))
  for (const [place, subjects] of Object.entries((file['validation'] ?? {}) as Record<string, unknown>))
    attempt(atValidation, () => validations.push({ ...parsePlace(place), subjects: textsIn(subjects) }))

  if (problems.length > 0) throw new FileFault(problems)
  return {
    ...(typeof schema === 'string' && { schema }),
    relationships,
    ...(file['assertions'] != null && { assertions }),
    ...(file['validation'] != null && { validations }),
  }
}

const rangeOf = (node: unknown): number => (node as { range?: [number] } | null | undefined)?.range?.[0] ?? 0

function textsIn(value: unknown): string[] {
  if (value == null) return []
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    throw new PermissionFault('file-invalid', 'Expects a list of texts.')
  return value
}

/** The lines of a block that say something, each with its place in the file. */
function linesOf(text: string, from: number, block: string): { line: string; offset: number }[] {
  let offset = from
  return block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .map((line) => {
      const found = text.indexOf(line, offset)
      if (found >= 0) offset = found
      return { line, offset }
    })
}

/** `document:a#view@user:ada with {"day":"fri"}` */
export function parseAssertion(text: string): CheckQuestion {
  const [, line = text, values] = /^(\S+)\s+with\s+(\{.*\})$/s.exec(text.trim()) ?? []
  const { resource, relation: permission, subject } = parseRelationship(line)
  return { resource, permission, subject, ...(values !== undefined && { context: parseContext(values) }) }
}

export function printAssertion({ resource, permission, subject, context }: CheckQuestion): string {
  const line = printRelationship({ resource, relation: permission, subject })
  return context && Object.keys(context).length > 0 ? `${line} with ${JSON.stringify(context)}` : line
}

function parseContext(text: string): CaveatContext {
  try {
    return JSON.parse(text)
  } catch {
    throw new PermissionFault('file-invalid', 'The context is no JSON object.')
  }
}

/** `document:a#view` */
function parsePlace(text: string): Pick<FileValidation, 'resource' | 'permission'> {
  const [, type, id, permission] = /^([^:#@]+):([^:#@]+)#([^:#@]+)$/.exec(text) ?? []
  if (!type || !id || !permission) throw new PermissionFault('file-invalid', `${text} is no permission of a resource.`)
  return { resource: { type, id }, permission }
}

/** The file in pieces, so that it need not be whole in memory. */
export async function* printValidationFile(
  schema: string,
  relationships: AsyncIterable<Relationship[]>,
  assertions: readonly FileAssertion[],
  validations: readonly FileValidation[],
): AsyncGenerator<string> {
  yield stringify({ schema }, { lineWidth: 0, blockQuote: 'literal' })
  let isFirst = true
  for await (const some of relationships) {
    if (isFirst && some.length > 0) yield 'relationships: |-\n'
    isFirst &&= some.length === 0
    yield some.map((relationship) => `  ${printRelationship(relationship)}\n`).join('')
  }
  if (isFirst) yield 'relationships: ""\n'
  const lines = kinds.map((kind) => [
    kind,
    assertions.filter((one) => one.kind === kind).map(({ question }) => printAssertion(question)),
  ])
  const places = validations.map(({ resource: { type, id }, permission, subjects }) => [
    `${type}:${id}#${permission}`,
    subjects,
  ])
  yield stringify(
    { assertions: Object.fromEntries(lines), validation: Object.fromEntries(places) },
    { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
  )
}
