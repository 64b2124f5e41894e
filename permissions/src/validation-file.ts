import { type Document, isMap, isScalar, Lexer, LineCounter, parseDocument, type Scalar, stringify } from 'yaml'
import { readContextText } from './context-text.ts'
import type { CheckQuestion } from './engine.ts'
import { type FaultCode, PermissionFault } from './fault.ts'
import type { CaveatContext, Relationship } from './relationship.ts'
import { cutRelationships, type Place, type PlacedLine, says } from './relationship-block.ts'
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
  /** Where what must hold begins. */
  placeOfPart: (part: 'assertions' | 'validation') => Place
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
/** Of `relationships:` and what makes it a literal block. */
const longestOpening = 100

/**
 * Reads a validation file; throws `FileFault` with what is wrong with it, the first hundred. A file may have a million
 * lines: `pause` is waited for now and then, so that others have their turn.
 */
export async function parseValidationFile(
  text: string,
  pause: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ValidationFile> {
  const { document, placeOf, lines } = sourceOf(text)
  const problems: FileProblem[] = []
  const complain = (place: Place, message: string) => {
    problems.push({ message, ...place })
    if (problems.length >= maxProblems) throw new FileFault(problems)
  }
  const attempt = (place: Place, work: () => void) => {
    try {
      work()
    } catch (error) {
      complain(place, (error as Error).message)
    }
  }
  for (const { pos, message } of document.errors) complain(placeOf(pos[0]), message.split('\n')[0] ?? message)
  if (problems.length > 0) throw new FileFault(problems)
  const root = document.contents
  if (!isMap(root)) throw new FileFault([{ message: 'The file is no map.', line: 1, column: 1 }])
  const placeOfKey = (name: string) => placeOf(rangeOf(root.get(name, true)))

  for (const { key } of root.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (!known.has(name)) complain(placeOf(rangeOf(key)), `There is nothing called ${name || 'so'} in such a file.`)
  }
  const file = valuesOf(document)
  const relationships: Relationship[] = []
  const places: Place[] = []
  if (typeof file['relationships'] === 'string') {
    let taken = 0
    for (const { text, ...place } of lines()) {
      attempt(place, () => {
        relationships.push(parseRelationship(text))
        places.push(place)
      })
      if (++taken % linesAtOnce === 0) await pause()
    }
  } else if (file['relationships'] != null)
    complain(placeOfKey('relationships'), 'The relationships are a text with one on each line.')
  const { schema } = file
  if (schema != null && typeof schema !== 'string') complain(placeOfKey('schema'), 'The schema is a text.')

  const assertions: FileAssertion[] = []
  const asserted = (file['assertions'] ?? {}) as Record<string, unknown>
  for (const name of Object.keys(asserted).filter((name) => !kinds.some((kind) => kind === name)))
    complain(placeOfKey('assertions'), `There is nothing called ${name} among assertions.`)
  for (const kind of kinds) {
    for (const line of textsIn(asserted[kind]))
      attempt(placeOfKey('assertions'), () => assertions.push({ kind, question: parseAssertion(line) }))
  }
  const validations: FileValidation[] = []
  for (const [place, subjects] of Object.entries((file['validation'] ?? {}) as Record<string, unknown>))
    attempt(placeOfKey('validation'), () => validations.push({ ...parsePlace(place), subjects: textsIn(subjects) }))

  if (problems.length > 0) throw new FileFault(problems)
  return {
    ...(typeof schema === 'string' && { schema }),
    relationships,
    placeOf: (at) => places[at] ?? { line: 1, column: 1 },
    placeOfPart: placeOfKey,
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

interface Source {
  document: Document.Parsed
  placeOf: (offset: number) => Place
  /** Those of the relationships, if they are a text. */
  lines: () => Iterable<PlacedLine>
}

function sourceOf(text: string): Source {
  const cut = cutRelationships(text)
  if (cut) {
    const { document, placeOf } = parsed(cut.rest)
    const block = blockOf(document)
    // Or else what looks like it stands within something else.
    if (block && rangeOf(block) < cut.from && rangeOf(block) > cut.from - longestOpening)
      return { document, placeOf, lines: cut.lines }
  }
  const { document, placeOf } = parsed(text)
  return { document, placeOf, lines: () => linesOf(text, blockOf(document), placeOf) }
}

function parsed(text: string): Omit<Source, 'lines'> {
  refuseTooMuch(text)
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter })
  const placeOf = (offset: number) => {
    const { line, col: column } = lineCounter.linePos(offset)
    return { line, column }
  }
  return { document, placeOf }
}

function blockOf({ contents }: Document.Parsed): Scalar | undefined {
  const block = isMap(contents) ? contents.get('relationships', true) : undefined
  return isScalar(block) ? block : undefined
}

/** The lines of a text that say something, each with its place in the file; of its beginning where it is spelt otherwise. */
function* linesOf(text: string, block: Scalar | undefined, placeOf: Source['placeOf']): Generator<PlacedLine> {
  const from = rangeOf(block)
  const said = String(block?.value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(says)
  let next = from
  for (const line of said) {
    const found = next < 0 ? -1 : text.indexOf(line, next)
    next = found < 0 ? -1 : found + line.length
    yield { text: line, ...placeOf(found < 0 ? from : found) }
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
