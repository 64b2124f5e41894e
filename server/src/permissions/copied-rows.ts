import type { Row, Terms } from './rows.ts'

/** Reads what COPY sends as text, row by row (PostgreSQL, COPY, text format). */
export async function* copiedRows(chunks: AsyncIterable<Buffer>): AsyncIterable<Row[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines.map(rowOfLine)
  }
}

const noTerms: Terms = {}

function rowOfLine(line: string): Row {
  const [
    resourceType = '',
    resourceId = '',
    relation = '',
    subjectType = '',
    subjectId = '',
    subjectRelation = '',
    terms,
  ] = line.split('\t')
  return {
    resourceType,
    resourceId,
    relation,
    subjectType,
    subjectId,
    subjectRelation,
    // Names and ids hold nothing that COPY would escape.
    terms: terms === undefined || terms === '{}' ? noTerms : JSON.parse(unescaped(terms)),
  }
}

const signs: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const unescaped = (text: string) => text.replace(/\\(.)/g, (_, sign: string) => signs[sign] ?? sign)
