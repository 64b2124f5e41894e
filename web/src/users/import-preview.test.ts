import { expect, test } from 'vitest'
import { previewRows, readCsv } from './import-preview.ts'

test.for<[string, [number, string[]][]]>([
  [
    'a,b\n1,2\n',
    [
      [1, ['a', 'b']],
      [2, ['1', '2']],
    ],
  ],
  [
    '\uFEFFa,b\r\n1,\r\n\r\n,2',
    [
      [1, ['a', 'b']],
      [2, ['1', '']],
      [4, ['', '2']],
    ],
  ],
  [
    'a\n"x, ""y""\nz"\nlast',
    [
      [1, ['a']],
      [2, ['x, "y"\nz']],
      [4, ['last']],
    ],
  ],
  ['', []],
])('reads %j as rows with their first lines', ([text, rows]) => {
  expect([...readCsv(text)].map(({ line, cells }) => [line, cells])).toEqual(rows)
})

test('shows all invalid rows and the first ten valid ones', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `Person ${index + 2},p${index + 2}`)
  const errors = [
    { line: 400, column: 'username', code: 'username-invalid' },
    { line: 401, column: null, code: 'nobody' },
    { line: 402, column: 'email', code: 'email-invalid' },
  ]
  const { header, rows } = previewRows(['Display name,User_name', ...lines].join('\n'), errors)
  expect(header).toEqual(['Display name', 'User_name'])
  expect(rows.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 400, 401, 402])
  expect(rows.slice(-3).map(({ error }) => error?.column)).toEqual([1, -1, -1])
  expect(rows[0]?.error).toBeUndefined()
})

test('shows at most 50 rows', () => {
  const errors = Array.from({ length: 80 }, (_, index) => ({ line: index + 2, column: 'email', code: 'email-invalid' }))
  const text = ['email', ...errors.map(({ line }) => `bad ${line}`)].join('\n')
  expect(previewRows(text, errors).rows).toHaveLength(50)
})
