import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCsvLine, unescapeCell } from './csv.ts'

test('cells are separated by commas, and quoted where necessary', () => {
  expect(formatCsvLine(['a', null, '', 'b,c', 'say "x"', 'two\nlines'])).toBe('a,,,"b,c","say ""x""","two\nlines"\r\n')
})

test('cells that a spreadsheet would split at semicolons or tabs are quoted', () => {
  expect(formatCsvLine(['Ada;=1', 'a\t=1'])).toBe('"Ada;=1","a\t=1"\r\n')
})

test.for([
  ...['=1', '+1', '-1', '@x', '\tx', '\rx', '\nx'],
  ...['＝1', '＋1', '－1', '＠x', '﹦1', '﹢1', '﹣1', '﹫x'],
  ...[' =1', '\u00a0=1', '\u3000＝1', '\ufeff@x', '\u200b+1', '\0-1', "'=1", "''＝1"],
])('the cell %j, which a spreadsheet might evaluate as a formula, is escaped', (cell) => {
  expect(formatCsvLine([cell])).toMatch(/^"?'/)
})

test.for(['1=1', '(1)', "'quoted'", 'a\t=1', ' a', '−1'])('the cell %j, which is no formula, is unchanged', (cell) => {
  expect(parseLine(formatCsvLine([cell]))).toEqual([cell])
})

test('cells round-trip, and none begins with a formula', () => {
  const piece = fc.constantFrom("'", '=', '＝', '＠', '-', '\t', '\n', ' ', '\u3000', '\u200b', '"', ',', 'a')
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ unit: piece, maxLength: 8 }))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
      const written = parseLine(formatCsvLine(cells))
      for (const cell of written) expect(cell.trimStart()).not.toMatch(/^[=+\-@＝＋－＠]/)
      expect(written.map(unescapeCell)).toEqual(cells)
    }),
  )
})

/** Parses the cells of a line (RFC 4180). */
function parseLine(line: string): string[] {
  const cells: string[] = []
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '\r\n') break
  }
  return cells
}
