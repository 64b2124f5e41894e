import { type Document, isMap, isScalar, Lexer, LineCounter, parseDocument, stringify } from 'yaml'
import { readContextText } from './context-text.ts'
import type { CheckQuestion } from './engine.ts'
import { type FaultCode, PermissionFault } from './fault.ts'
import type { CaveatContext, Relationship } from './relationship.ts'
import { parseRelationship, printQuestion, printRelationship } from './relationship-text.ts'

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

/** Counted from 1. */
interface Place {
  line: number
  column: number
}

/** One thing that is wrong with a file; `file-invalid` unless it has a code of its own. */
export interface FileProblem extends Place {
  message: string
  code?: FaultCode
}

/** SpiceDB's validation file; what a file leaves out is not there. */
export interface ValidationFile {
  schema?: string
  relationships: Relationship[]
  /** Where in the file a relationship stands, by its place in the list. */
  placeOf: (at: number) => Place
  assertions?: FileAssertion[]
  validations?: FileValidation[]
}

/** A file that was refused; `problems` has each line that is wrong. */
export class FileFault extends PermissionFault {
  override name = 'FileFault'
  readonly problems: readonly { message: string; code?: FaultCode; span: { start: Place } }[]

  constructor(problems: FileProblem[]) {
    super('file-invalid', problems.map(({ line, message }) => `Line ${line}: ${message}`).join(' '), 'yaml')
    this.problems = problems.map(({ message, code, ...start }) => ({ message, ...(code && { code }), span: { start } }))
  }
}

const kinds = ['assertTrue', 'assertFalse', 'assertCaveated'] as const
const known = new Set(['schema', 'relationships', 'assertions', 'validation'])

/** More that is wrong with a file is not told. */
export const maxProblems = 100
/** The relationships and the schema are one each, however long. */
const maxLexemes = 200_000
const linesAtOnce = 1000

/**
 * Reads a validation file; throws `FileFault` with what is wrong with it, the first hundred. A file may have a million
 * lines: `pause` is waited for now and then, so that others have their turn.
 */
export async function parseValidationFile(
  text: string,
  pause: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ValidationFile> {
  refuseTooMuch(text)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const problems: FileProblem[] = []
  const complain = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset)
    problems.push({ message, line, column: col })
    if (problems.length >= maxProblems) throw new FileFault(problems)
  }
  for (const { pos, message } of document.errors) complain(pos[0], message.split('\n')[0] ?? message)
  if (problems.length > 0) throw new FileFault(problems)
  const root = document.contents
  if (!isMap(root)) throw new FileFault([{ message: 'The file is no map.', line: 1, column: 1 }])

  for (const { key } of root.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (!known.has(name)) complain(rangeOf(key), `There is nothing called ${name || 'so'} in such a file.`)
  }
  const file = valuesOf(document)
  const relationships: Relationship[] = []
  const offsets: number[] = []
  const attempt = (offset: number, work: () => void) => {
    try {
      work()
    } catch (error) {
      complain(offset, (error as Error).message)
    }
  }

  const block = root.get('relationships', true)
  if (typeof file['relationships'] === 'string' && isScalar(block)) {
    let taken = 0
    for (const { line, offset } of linesOf(text, rangeOf(block), file['relationships'])) {
      attempt(offset, () => {
        relationships.push(parseRelationship(line))
        offsets.push(offset)
      })
      if (++taken % linesAtOnce === 0) await pause()
    }
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
    placeOf: (at) => {
      const { line, col: column } = lines.linePos(offsets[at] ?? 0)
      return { line, column }
    },
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

/** The lines of a block that say something, each with its place in the file; of its block where it is spelt otherwise. */
function* linesOf(text: string, from: number, block: string): Generator<{ line: string; offset: number }> {
  let offset = from
  for (let begin = 0; begin < block.length; ) {
    const end = block.indexOf('\n', begin)
    const line = block.slice(begin, end < 0 ? undefined : end).trim()
    begin = end < 0 ? block.length : end + 1
    if (line === '' || line.startsWith('//')) continue
    const found = offset < 0 ? -1 : text.indexOf(line, offset)
    offset = found
    yield { line, offset: found < 0 ? from : found }
  }
}

/** What is not a text, item by item, would take the parser minutes. */
function refuseTooMuch(text: string): void {
  let count = 0
  for (const _ of new Lexer().lex(text)) {
    if (++count > maxLexemes) throw new FileFault([{ message: 'The file has too many parts.', line: 1, column: 1 }])
  }
}

/** Throws `FileFault` for aliases within aliases, which grow without end. */
function valuesOf(document: Document.Parsed): Record<string, unknown> {
  try {
    return (document.toJS() ?? {}) as Record<string, unknown>
  } catch (error) {
    throw new FileFault([{ message: (error as Error).message, line: 1, column: 1 }])
  }
}

/** `document:a#view@user:ada with {"day":"fri"}` */
export function parseAssertion(text: string): CheckQuestion {
  const [, line = text, values] = /^(\S+)\s+with\s+(\{.*\})$/s.exec(text.trim()) ?? []
  const { resource, relation: permission, subject } = parseRelationship(line)
  return { resource, permission, subject, ...(values !== undefined && { context: parseContext(values) }) }
}

function parseContext(text: string): CaveatContext {
  const context = readContextText(text)
  if (!context) throw new PermissionFault('file-invalid', 'The context is no JSON object.')
  return context
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
    assertions.filter((one) => one.kind === kind).map(({ question }) => printQuestion(question)),
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
