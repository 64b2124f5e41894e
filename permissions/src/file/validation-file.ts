import { type Document, isMap, isScalar, Lexer, LineCounter, parseDocument, type Scalar, stringify, visit } from 'yaml'
import type { CheckRequest } from '../engine.ts'
import { type ErrorCode, PermissionError } from '../error.ts'
import { parseContext } from '../graph/context.ts'
import type { CaveatContext, Relationship } from '../graph/relationship.ts'
import { parseRelationship, printCheck, printRelationship } from '../graph/relationship-text.ts'
import { cutRelationships, type FilePosition, isSignificant, type PositionedLine } from './relationship-block.ts'

/** The expected result of a check. */
export interface FileAssertion {
  kind: 'assertTrue' | 'assertFalse' | 'assertCaveated'
  question: CheckRequest
}

/** The expected subjects of a permission, all of them, such as `[user:ada] is <document:a#viewer>`. */
export interface FileValidation {
  resource: { type: string; id: string }
  permission: string
  subjects: string[]
}

/** A problem in a file; by default, its code is `file-invalid`. */
export interface FileProblem extends FilePosition {
  message: string
  code?: ErrorCode
}

/** The content of a validation file, in SpiceDB's format. Sections that the file lacks are absent. */
export interface ValidationFile {
  schema?: string
  relationships: Relationship[]
  /** Returns the position of a relationship in the file. */
  positionOf: (index: number) => FilePosition
  /** Returns the start position of a section. */
  sectionPosition: (section: 'assertions' | 'validation') => FilePosition
  assertions?: FileAssertion[]
  validations?: FileValidation[]
}

/** An invalid file, with all its problems and their positions. */
export class FileError extends PermissionError {
  override name = 'FileError'
  readonly problems: readonly { message: string; code?: ErrorCode; span: { start: FilePosition } }[]

  constructor(problems: FileProblem[]) {
    super('file-invalid', problems.map(({ line, message }) => `Line ${line}: ${message}`).join(' '), 'yaml')
    this.problems = problems.map(({ message, code, ...start }) => ({ message, ...(code && { code }), span: { start } }))
  }
}

const kinds = ['assertTrue', 'assertFalse', 'assertCaveated'] as const
const sectionNames = new Set(['schema', 'relationships', 'assertions', 'validation'])

/** The maximum number of problems reported for a file. */
export const maxProblems = 100
/**
 * The YAML parser takes up to 10 µs per lexeme. The schema and the relationships are one lexeme each, of any length.
 */
const maxLexemes = 25_000
/** In characters, without the block of relationships. */
const maxRestLength = 4 * 1024 * 1024
/** In characters: enough for the longest ids and the largest context. */
const maxLineLength = 256 * 1024
/** The number of relationships between two pauses. */
const linesAtOnce = 1000
/** The maximum length of `relationships:` and the block scalar header. */
const maxOpeningLength = 100

/**
 * Parses a validation file. Throws `FileError` with the first 100 problems. A file may have a million lines, so `pause`
 * is awaited from time to time to let other requests run.
 */
export async function parseValidationFile(
  text: string,
  pause: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ValidationFile> {
  const { document, positionOf, lines } = await readSource(text, pause)
  const problems: FileProblem[] = []
  const addProblem = (position: FilePosition, message: string) => {
    problems.push({ message, ...position })
    if (problems.length >= maxProblems) throw new FileError(problems)
  }
  const collectProblem = (position: FilePosition, work: () => void) => {
    try {
      work()
    } catch (error) {
      addProblem(position, (error as Error).message)
    }
  }
  for (const { pos, message } of document.errors) addProblem(positionOf(pos[0]), message.split('\n')[0] ?? message)
  for (const key of findRepeatedKeys(document)) addProblem(positionOf(rangeOf(key)), 'Map keys must be unique')
  if (problems.length > 0) throw new FileError(problems)
  const root = document.contents
  if (!isMap(root)) throw new FileError([{ message: 'The file must be a map.', line: 1, column: 1 }])
  const keyPosition = (name: string) => positionOf(rangeOf(root.get(name, true)))

  for (const { key } of root.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (!sectionNames.has(name))
      addProblem(positionOf(rangeOf(key)), `The file has the unknown key ${name || '(empty)'}.`)
  }
  const file = toValues(document)
  const relationships: Relationship[] = []
  const positions: FilePosition[] = []
  if (typeof file['relationships'] === 'string') {
    let lineCount = 0
    for (const { text, ...place } of lines()) {
      collectProblem(place, () => {
        if (text.length > maxLineLength) throw new PermissionError('file-invalid', 'The line is too long.')
        relationships.push(parseRelationship(text))
        positions.push(place)
      })
      if (++lineCount % linesAtOnce === 0) await pause()
    }
  } else if (file['relationships'] != null)
    addProblem(keyPosition('relationships'), 'The relationships must be a text with one per line.')
  const { schema } = file
  if (schema != null && typeof schema !== 'string') addProblem(keyPosition('schema'), 'The schema must be a text.')

  const assertions: FileAssertion[] = []
  const assertionSections = (file['assertions'] ?? {}) as Record<string, unknown>
  for (const name of Object.keys(assertionSections).filter((name) => !kinds.some((kind) => kind === name)))
    addProblem(keyPosition('assertions'), `The assertions have the unknown key ${name}.`)
  for (const kind of kinds) {
    for (const line of requireTexts(assertionSections[kind]))
      collectProblem(keyPosition('assertions'), () => assertions.push({ kind, question: parseAssertion(line) }))
  }
  const validations: FileValidation[] = []
  for (const [place, subjects] of Object.entries((file['validation'] ?? {}) as Record<string, unknown>))
    collectProblem(keyPosition('validation'), () =>
      validations.push({ ...parsePermissionPath(place), subjects: requireTexts(subjects) }),
    )

  if (problems.length > 0) throw new FileError(problems)
  return {
    ...(typeof schema === 'string' && { schema }),
    relationships,
    positionOf: (index) => positions[index] ?? { line: 1, column: 1 },
    sectionPosition: keyPosition,
    ...(file['assertions'] != null && { assertions }),
    ...(file['validation'] != null && { validations }),
  }
}

const rangeOf = (node: unknown): number => (node as { range?: [number] } | null | undefined)?.range?.[0] ?? 0

function requireTexts(value: unknown): string[] {
  if (value == null) return []
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string'))
    throw new PermissionError('file-invalid', 'Must be a list of texts.')
  return value
}

interface Source {
  document: Document.Parsed
  positionOf: (offset: number) => FilePosition
  /** Yields the lines of the relationships, if they are a string. */
  lines: () => Iterable<PositionedLine>
}

async function readSource(text: string, pause: () => Promise<unknown>): Promise<Source> {
  const cut = await cutRelationships(text, pause)
  if (cut) {
    const { document, positionOf } = await parseYaml(cut.rest, pause)
    const block = findRelationships(document)
    // Otherwise the match is inside another value.
    if (block && rangeOf(block) < cut.start && rangeOf(block) > cut.start - maxOpeningLength) {
      const positionInFile = (offset: number) => {
        const { line, column } = positionOf(offset)
        return { line: offset > cut.start ? line + cut.missingLines : line, column }
      }
      return { document, positionOf: positionInFile, lines: cut.lines }
    }
  }
  const { document, positionOf } = await parseYaml(text, pause)
  return { document, positionOf, lines: () => readScalarLines(text, findRelationships(document), positionOf) }
}

async function parseYaml(text: string, pause: () => Promise<unknown>): Promise<Omit<Source, 'lines'>> {
  requireAcceptableSize(text)
  await pause()
  const lineCounter = new LineCounter()
  // The parser's own check of unique keys is quadratic.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false, prettyErrors: false })
  const positionOf = (offset: number) => {
    const { line, col: column } = lineCounter.linePos(offset)
    return { line, column }
  }
  return { document, positionOf }
}

/** Returns the repeated keys of each map, in the order of the text. */
function findRepeatedKeys(document: Document.Parsed): unknown[] {
  const repeated: unknown[] = []
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) if (isScalar(key) && seen.size === seen.add(key.value).size) repeated.push(key)
    },
  })
  return repeated
}

function findRelationships({ contents }: Document.Parsed): Scalar | undefined {
  const block = isMap(contents) ? contents.get('relationships', true) : undefined
  return isScalar(block) ? block : undefined
}

/**
 * Yields the significant lines of a scalar with their positions in the file. A line that the file spells differently,
 * as in a quoted scalar, has the position of the scalar.
 */
function* readScalarLines(
  text: string,
  scalar: Scalar | undefined,
  positionOf: Source['positionOf'],
): Generator<PositionedLine> {
  const from = rangeOf(scalar)
  const significantLines = String(scalar?.value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(isSignificant)
  let next = from
  for (const line of significantLines) {
    const offset = next < 0 ? -1 : text.indexOf(line, next)
    next = offset < 0 ? -1 : offset + line.length
    yield { text: line, ...positionOf(offset < 0 ? from : offset) }
  }
}

/** Throws `FileError` for many small values, on which the parser could spend minutes. */
function requireAcceptableSize(text: string): void {
  const error = new FileError([{ message: 'The file has too many values.', line: 1, column: 1 }])
  if (text.length > maxRestLength) throw error
  let count = 0
  for (const _ of new Lexer().lex(text)) {
    if (++count > maxLexemes) throw error
  }
}

/** Throws `FileError` for nested aliases, whose expansion would grow exponentially. */
function toValues(document: Document.Parsed): Record<string, unknown> {
  try {
    return (document.toJS() ?? {}) as Record<string, unknown>
  } catch (error) {
    throw new FileError([{ message: (error as Error).message, line: 1, column: 1 }])
  }
}

/** Parses `document:a#view@user:ada with {"day":"fri"}`. */
export function parseAssertion(text: string): CheckRequest {
  const [, line = text, values] = /^(\S+)\s+with\s+(\{.*\})$/s.exec(text.trim()) ?? []
  const { resource, relation: permission, subject } = parseRelationship(line)
  return { resource, permission, subject, ...(values !== undefined && { context: requireContext(values) }) }
}

function requireContext(text: string): CaveatContext {
  const context = parseContext(text)
  if (!context) throw new PermissionError('file-invalid', 'The context must be a JSON object.')
  return context
}

/** Parses `document:a#view`. */
function parsePermissionPath(text: string): Pick<FileValidation, 'resource' | 'permission'> {
  const [, type, id, permission] = /^([^:#@]+):([^:#@]+)#([^:#@]+)$/.exec(text) ?? []
  if (!type || !id || !permission)
    throw new PermissionError('file-invalid', `${text} is not a permission of a resource.`)
  return { resource: { type, id }, permission }
}

/** Prints a validation file in chunks, so that it need not fit in memory. */
export async function* printValidationFile(
  schema: string,
  relationships: AsyncIterable<Relationship[]>,
  assertions: readonly FileAssertion[],
  validations: readonly FileValidation[],
): AsyncGenerator<string> {
  yield stringify({ schema }, { lineWidth: 0, blockQuote: 'literal' })
  let isFirst = true
  for await (const batch of relationships) {
    if (isFirst && batch.length > 0) yield 'relationships: |-\n'
    isFirst &&= batch.length === 0
    yield batch.map((relationship) => `  ${printRelationship(relationship)}\n`).join('')
  }
  if (isFirst) yield 'relationships: ""\n'
  const lines = kinds.map((kind) => [
    kind,
    assertions.filter((assertion) => assertion.kind === kind).map(({ question: request }) => printCheck(request)),
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
