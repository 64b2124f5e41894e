import { formatCsvLine, unescapeCell } from '@passport/contract/csv'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InvalidCsv, readCsvRecords } from './csv-records.ts'

const read = (text: string, options = {}) => [...readCsvRecords(text, options)].map(({ line, cells }) => [line, cells])

test.for<[string, [number, string[]][]]>([
  ['', []],
  ['\n\r\n  \r', []],
  [
    'a,b\n1,2\n',
    [
      [1, ['a', 'b']],
      [2, ['1', '2']],
    ],
  ],
  [
    'a,b\r\n1,\r\n\r\n,2',
    [
      [1, ['a', 'b']],
      [2, ['1', '']],
      [4, ['', '2']],
    ],
  ],
  [
    'a\r"x, ""y""\r\nz"\r""\rlast',
    [
      [1, ['a']],
      [2, ['x, "y"\r\nz']],
      [4, ['']],
      [5, ['last']],
    ],
  ],
  ['5" pipe, "a" , b"', [[1, ['5" pipe', 'a', ' b"']]]],
])('reads %j as records with their first lines', ([text, records]) => {
  expect(read(text)).toEqual(records)
})

test('separates cells by another character', () => {
  expect(read('a;"b;c";d,e', { separator: ';' })).toEqual([[1, ['a', 'b;c', 'd,e']]])
  expect(read('a\t b\t', { separator: '\t' })).toEqual([[1, ['a', ' b', '']]])
})

test.for([
  ['a\n"b', 'The quotation mark that opens a cell in line 2 is never closed.'],
  ['a\n"b\nc"d\n', 'Line 3 has text after a closing quotation mark.'],
  [`a\n${','.repeat(1000)}`, 'Line 2 has more than 1000 cells.'],
  [`a\n${'x'.repeat(65_537)}`, 'Line 2 has more than 64 Ki characters.'],
  [`a\n${'"",'.repeat(30_000)}`, 'Line 2 has more than 1000 cells.'],
])('rejects %j', ([text = '', message]) => {
  expect(() => read(text)).toThrow(new InvalidCsv(message))
})

test('reads what csv-parse reads', () => {
  const unit = fc.constantFrom(',', '"', '\n', ' ', 'a', ';')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
      let expected: string[][]
      try {
        expected = parse(text, { relax_column_count: true, record_delimiter: '\n', skip_empty_lines: true })
      } catch {
        return
      }
      const isBlank = (cells: string[]) => cells.length === 1 && cells[0]?.trim() === ''
      expect(read(text).flatMap(([, cells]) => (isBlank(cells as string[]) ? [] : [cells]))).toEqual(
        expected.filter((cells) => !isBlank(cells)),
      )
    }),
    { numRuns: 1000 },
  )
})

test('reads the cells that Passport writes, as they were', () => {
  const piece = fc.constantFrom(
    "'",
    '=',
    '＝',
    '＠',
    '-',
    '\t',
    '\n',
    '\r',
    ' ',
    '\u3000',
    '\u200b',
    '"',
    ',',
    ';',
    'a',
  )
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ unit: piece, maxLength: 8 }))
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { maxLength: 4 }), (rows) => {
      const records = [...readCsvRecords(rows.map(formatCsvLine).join(''))]
      expect(records.map(({ cells }) => cells.map(unescapeCell))).toEqual(rows)
    }),
  )
})
