/** A position in a file, 1-based. */
export interface FilePosition {
  line: number
  column: number
}

export interface PositionedLine extends FilePosition {
  text: string
}

/** A file whose block of relationships was replaced by a placeholder line. */
export interface CutFile {
  rest: string
  /** The number of lines by which the file is longer than `rest`. */
  missingLines: number
  /** The offset of the block's first line, the same in the file and in `rest`. */
  start: number
  /** Yields the lines of the block, without blank lines and comments. */
  lines: () => Generator<PositionedLine>
}

const opening = /^relationships:[ \t]*\|[-+]?[ \t]*\r?\n/m

/** The number of lines between two pauses: scanning them takes about a millisecond. */
const linesAtOnce = 100_000

/**
 * Cuts out the relationships if they are a literal block, as in most files. Returns undefined for other forms. The YAML
 * parser would block for seconds to read a million lines. Awaits `pause` every 100,000 lines.
 */
export async function cutRelationships(text: string, pause: () => Promise<unknown>): Promise<CutFile | undefined> {
  const match = opening.exec(text)
  if (!match) return undefined
  const start = match.index + match[0].length
  let lines = 0
  let blockEnd = start
  while (blockEnd < text.length && isInBlock(text.charCodeAt(blockEnd))) {
    const end = text.indexOf('\n', blockEnd)
    blockEnd = end < 0 ? text.length : end + 1
    if (++lines % linesAtOnce === 0) await pause()
  }
  return {
    rest: text.slice(0, start) + (lines === 0 ? '' : placeholder) + text.slice(blockEnd),
    missingLines: Math.max(0, lines - 1),
    start,
    lines: () => readLines(text, start, blockEnd),
  }
}

const placeholder = ' .\n'

/** Any other character at the start of a line ends the block. */
const isInBlock = (first: number) => first === 32 || first === 10 || first === 13

function countLines(text: string, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

function* readLines(text: string, start: number, to: number): Generator<PositionedLine> {
  let number = countLines(text, start)
  for (let begin = start; begin < to; ) {
    const end = text.indexOf('\n', begin)
    const rawLine = text.slice(begin, end < 0 ? to : end)
    begin = end < 0 ? to : end + 1
    number++
    const line = rawLine.trim()
    if (isSignificant(line)) yield { text: line, line: number, column: rawLine.indexOf(line) + 1 }
  }
}

/** Reports whether a line is neither empty nor a comment. */
export const isSignificant = (line: string): boolean => line !== '' && !line.startsWith('//')
