import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test('a line of a table', () => {
  expect(csvLine(['a', null, '', 'b,c', 'say "x"', 'two\nlines'])).toBe('a,,,"b,c","say ""x""","two\nlines"\r\n')
})

test('no cell is split where a spreadsheet splits at semicolons or tabs', () => {
  expect(csvLine(['Ada;=1', 'a\t=1'])).toBe('"Ada;=1","a\t=1"\r\n')
})

test.for(['=1', '+1', '-1', '@x', '\tx', '\rx', '\nx'])('%j is no formula', (cell) => {
  expect(csvLine([cell])).toMatch(/^"?'/)
})

test('comes back as it went, but for the marks before what looks like a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { minLength: 1, maxLength: 5 }), (cells) => {
      expect(read(csvLine(cells))).toEqual(cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell)))
    }),
  )
})

/** The cells of one line, as RFC 4180 has it. */
function read(line: string): string[] {
  const cells: string[] = []
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (let found = pattern.exec(line); found; found = pattern.exec(line)) {
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    if (found[3] === '\r\n') break
  }
  return cells
}
