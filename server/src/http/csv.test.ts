import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCsvLine } from './csv.ts'

test('cells are separated by commas, and quoted where necessary', () => {
  expect(formatCsvLine(['a', null, '', 'b,c', 'say "x"', 'two\nlines'])).toBe('a,,,"b,c","say ""x""","two\nlines"\r\n')
})

test('cells that a spreadsheet would split at semicolons or tabs are quoted', () => {
  expect(formatCsvLine(['Ada;=1', 'a\t=1'])).toBe('"Ada;=1","a\t=1"\r\n')
})

test.for(['=1', '+1', '-1', '@x', '\tx', '\rx', '\nx'])(
  'the cell %j, which a spreadsheet would evaluate as a formula, is escaped',
  (cell) => {
    expect(formatCsvLine([cell])).toMatch(/^"?'/)
  },
)

test('cells round-trip, except for the escapes of formulas', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { minLength: 1, maxLength: 5 }), (cells) => {
      expect(parseLine(formatCsvLine(cells))).toEqual(
        cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell)),
      )
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
