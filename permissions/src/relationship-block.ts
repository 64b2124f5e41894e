/** Counted from 1. */
export interface Place {
  line: number
  column: number
}

export interface PlacedLine extends Place {
  text: string
}

/** The block of relationships that was taken out of a file, which has as many other lines in its place. */
export interface CutFile {
  rest: string
  /** Where the block begins, in the file and in what is left alike. */
  from: number
  /** Its lines that say something. */
  lines: () => Generator<PlacedLine>
}

const opening = /^relationships:[ \t]*\|[-+]?[ \t]*\r?\n/m

/**
 * Takes the relationships out where they are a literal block of their own, as they are in most files: a YAML parser
 * looks at each character of it in one go, which takes seconds for a million lines. Undefined where they are not.
 */
export function cutRelationships(text: string): CutFile | undefined {
  const found = opening.exec(text)
  if (!found) return undefined
  const from = found.index + found[0].length
  const to = endOfBlock(text, from)
  return {
    rest: text.slice(0, from) + placeholder(countLines(text, from, to)) + text.slice(to),
    from,
    lines: () => linesBetween(text, from, to),
  }
}

/** So many lines, of which the last says something: empty ones alone are a part of the file each. */
const placeholder = (lines: number) => (lines === 0 ? '' : `${'\n'.repeat(lines - 1)} .\n`)

/** Whatever stands at the beginning of a line is not in the block. */
function endOfBlock(text: string, from: number): number {
  const unindented = /^[^ \r\n]/gm
  unindented.lastIndex = from
  return unindented.exec(text)?.index ?? text.length
}

function countLines(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

function* linesBetween(text: string, from: number, to: number): Generator<PlacedLine> {
  let number = countLines(text, 0, from)
  for (let begin = from; begin < to; ) {
    const end = text.indexOf('\n', begin)
    const whole = text.slice(begin, end < 0 ? to : end)
    begin = end < 0 ? to : end + 1
    number++
    const line = whole.trim()
    if (says(line)) yield { text: line, line: number, column: whole.indexOf(line) + 1 }
  }
}

/** Whether a line is neither empty nor a comment. */
export const says = (line: string): boolean => line !== '' && !line.startsWith('//')
