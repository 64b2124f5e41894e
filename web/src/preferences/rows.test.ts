import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { summarizeJson } from '../directory/summarize-json.ts'
import { describeSave } from './PreferenceEditor.tsx'
import {
  applySave,
  canSave,
  countNamespaces,
  createRow,
  filterRows,
  findKeyError,
  groupByNamespace,
  isChanged,
  type Row,
  toRows,
  updateRow,
} from './rows.ts'

const theme = { key: 'MyApp.Theme', value: 'dark' }
const saved = (overrides: Partial<Row> = {}): Row => {
  const [row] = toRows([theme])
  if (!row) throw new Error('There is no row')
  return { ...row, ...overrides }
}
const contents = (rows: Row[]) => rows.map(({ key, value, saved }) => ({ key, value, saved }))

test('toRows returns unchanged rows with unique ids', () => {
  const rows = toRows([theme, { key: 'Other', value: '1' }])
  expect(rows.map(isChanged)).toEqual([false, false])
  expect(rows[0]).toMatchObject({ ...theme, saved: theme, state: 'idle' })
  expect(new Set([...rows, createRow(theme)].map(({ id }) => id)).size).toBe(3)
})

test.for([
  ['as saved', saved(), false, undefined],
  ['with another value', saved({ value: 'light' }), true, undefined],
  ['with an empty value', saved({ value: '' }), true, 'Saving an empty value deletes this key'],
  ['with another key', saved({ key: 'New' }), true, 'Saving as a new key; ‘MyApp.Theme’ stays'],
  [
    'with another key and an empty value',
    saved({ key: 'New', value: '' }),
    true,
    'Saving as a new key; ‘MyApp.Theme’ stays',
  ],
  ['with a key in other case', saved({ key: 'myapp.theme' }), true, 'Saving as a new key; ‘MyApp.Theme’ stays'],
  ['never saved', createRow(theme), true, undefined],
] as const)('isChanged and describeSave of a row %s', ([, row, expected, hint]) => {
  expect(isChanged(row)).toBe(expected)
  expect(describeSave(row)).toBe(hint)
})

describe('a key', () => {
  test.for([
    ['MyApp.Theme', undefined],
    ['a/b 100% #?', undefined],
    ['…', undefined],
    ['...', undefined],
    ['x'.repeat(256), undefined],
    ['x'.repeat(257), 'A key must have 1 to 256 characters.'],
    ['.', 'A key must not be “.” or “..”.'],
    ['..', 'A key must not be “.” or “..”.'],
    ['a\nb', 'A key must not contain control characters.'],
  ] as const)('%j can be saved unless it has an error', ([key, error]) => {
    expect(findKeyError(key)).toBe(error)
    expect(canSave(key)).toBe(error === undefined)
  })

  test('that is empty has no error but cannot be saved', () => {
    expect(findKeyError('')).toBeUndefined()
    expect(canSave('')).toBe(false)
  })

  test('that can be saved survives as a URL segment', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[./%2eE\\]{1,5}$/)), (key) => {
        fc.pre(canSave(key))
        const { pathname } = new URL(`/passport/preferences/me/${encodeURIComponent(key)}`, 'https://passport.example')
        expect(decodeURIComponent(pathname.replace('/passport/preferences/me/', ''))).toBe(key)
      }),
    )
  })
})

describe('applySave', () => {
  test('resets the change and the error', () => {
    const row = saved({ value: 'light', state: 'saving', error: 'no' })
    const [after] = applySave([row], row.id, row, { key: row.key, value: row.value })
    expect(after).toMatchObject({ saved: { key: row.key, value: 'light' }, state: 'idle', error: undefined })
    expect(after && isChanged(after)).toBe(false)
  })

  test('keeps input typed during the save as a change', () => {
    const sent = saved({ value: 'light', state: 'saving' })
    const [after] = applySave([{ ...sent, value: 'lighter' }], sent.id, sent, { key: sent.key, value: sent.value })
    expect(after).toMatchObject({ value: 'lighter', saved: { value: 'light' } })
    expect(after && isChanged(after)).toBe(true)
  })

  test('with a new key, keeps the old row before it', () => {
    const row = saved({ key: 'New', value: 'light' })
    const rows = applySave([row], row.id, row, { key: row.key, value: row.value })
    expect(contents(rows)).toEqual([
      { ...theme, saved: theme },
      { key: 'New', value: 'light', saved: { key: 'New', value: 'light' } },
    ])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2)
  })

  test("with another row's key, replaces that row", () => {
    const [first, second] = toRows([theme, { key: 'Other', value: '1' }])
    if (!first || !second) throw new Error('There are no rows')
    const added = createRow({ key: 'Other', value: '2' })
    const rows = applySave([first, second, added], added.id, added, { key: added.key, value: added.value })
    expect(contents(rows)).toEqual([
      { ...theme, saved: theme },
      { key: 'Other', value: '2', saved: { key: 'Other', value: '2' } },
    ])
  })

  test('with an empty value, keeps input typed during the save as unsaved', () => {
    const sent = saved({ value: '', state: 'saving' })
    const [after] = applySave([{ ...sent, value: 'after all' }], sent.id, sent, undefined)
    expect(after).toMatchObject({ key: theme.key, value: 'after all', saved: undefined, state: 'idle' })
  })

  test('with an empty value, removes the row', () => {
    const row = saved({ value: '' })
    expect(applySave([row], row.id, row, undefined)).toEqual([])
  })

  test('with a new key and an empty value, keeps only the old row', () => {
    const row = saved({ key: 'New', value: '' })
    expect(contents(applySave([row], row.id, row, undefined))).toEqual([{ ...theme, saved: theme }])
  })

  test('keeps unsaved rows with the same key', () => {
    const row = saved({ value: 'light' })
    const typed = createRow({ key: theme.key, value: 'of another try' })
    expect(applySave([typed, row], row.id, row, { key: row.key, value: row.value })[0]).toBe(typed)
  })
})

test('updateRow changes one row and keeps the others', () => {
  const [one, other] = toRows([theme, { key: 'Other', value: '1' }])
  if (!one || !other) throw new Error('There are no rows')
  const rows = updateRow([one, other], one.id, { value: 'light', state: 'failed' })
  expect(rows[0]).toEqual({ ...one, value: 'light', state: 'failed' })
  expect(rows[1]).toBe(other)
})

describe('a filter', () => {
  const rows = toRows([theme, { key: 'Other.Size', value: 'DARKER' }, { key: 'x', value: 'y' }])

  test.for([
    ['', ['MyApp.Theme', 'Other.Size', 'x']],
    ['theme', ['MyApp.Theme']],
    ['dark', ['MyApp.Theme', 'Other.Size']],
    ['Other.', ['Other.Size']],
    ['.*', []],
    ['xy', []],
  ] as const)('%j matches keys and values case-insensitively, but not across them', ([text, keys]) => {
    expect(filterRows(rows, text).map(({ key }) => key)).toEqual(keys)
  })
})

describe('a namespace', () => {
  test('is the part of a saved key up to the first dot', () => {
    const keys = ['MyApp.A', 'MyApp.B.C', 'Other.', 'plain', '.hidden']
    const rows = [...toRows(keys.map((key) => ({ key, value: 'v' }))), createRow({ key: 'Typed.X', value: 'v' })]
    expect([...countNamespaces(rows)]).toEqual([
      ['MyApp.', 2],
      ['Other.', 1],
    ])
    expect(filterRows(rows, 'B', 'MyApp.').map(({ key }) => key)).toEqual(['MyApp.B.C'])
  })
})

test('groups rows by namespace, those without one last, and reads JSON as a list', () => {
  const rows = toRows(['b', 'App.X', 'Mail.Y', 'App.Z'].map((key) => ({ key, value: '1' })))
  expect(groupByNamespace(rows).map(([namespace, rows]) => [namespace, rows.map(({ key }) => key)])).toEqual([
    ['App.', ['App.X', 'App.Z']],
    ['Mail.', ['Mail.Y']],
    ['', ['b']],
  ])
  expect(summarizeJson('{"rail":"left","panels":["a","b"],"at":{"x":1}}')).toBe('rail left · panels a, b · at {"x":1}')
  expect(['left', '[1]', '{broken'].map(summarizeJson)).toEqual([undefined, undefined, undefined])
})
