import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterSave, canSave, change, hintOf, isChanged, keyFault, matching, newRow, type Row, rowsOf } from './rows.ts'

const theme = { key: 'MyApp.Theme', value: 'dark' }
const saved = (by: Partial<Row> = {}): Row => {
  const [row] = rowsOf([theme])
  if (!row) throw new Error('There is no row')
  return { ...row, ...by }
}
const contents = (rows: Row[]) => rows.map(({ key, value, saved }) => ({ key, value, saved }))

test('what the server has is a row that is not changed, each with an id of its own', () => {
  const rows = rowsOf([theme, { key: 'Other', value: '1' }])
  expect(rows.map(isChanged)).toEqual([false, false])
  expect(rows[0]).toMatchObject({ ...theme, saved: theme, state: 'idle' })
  expect(new Set([...rows, newRow(theme)].map(({ id }) => id)).size).toBe(3)
})

test.for([
  ['as it was saved', saved(), false, undefined],
  ['with another value', saved({ value: 'light' }), true, undefined],
  ['with an empty value', saved({ value: '' }), true, 'Saving an empty value deletes this key'],
  ['with another key', saved({ key: 'New' }), true, 'Saving as a new key; ‘MyApp.Theme’ stays'],
  [
    'with another key and an empty value',
    saved({ key: 'New', value: '' }),
    true,
    'Saving as a new key; ‘MyApp.Theme’ stays',
  ],
  ['with a key in other letters', saved({ key: 'myapp.theme' }), true, 'Saving as a new key; ‘MyApp.Theme’ stays'],
  ['that was never saved', newRow(theme), true, undefined],
] as const)('a row %s: is it changed, and what does it say', ([, row, expected, hint]) => {
  expect(isChanged(row)).toBe(expected)
  expect(hintOf(row)).toBe(hint)
})

describe('a key', () => {
  test.for([
    ['MyApp.Theme', undefined],
    ['a/b 100% #?', undefined],
    ['…', undefined],
    ['...', undefined],
    ['x'.repeat(256), undefined],
    ['x'.repeat(257), 'A key has 1 to 256 characters.'],
    ['.', 'A key is not “.” or “..”.'],
    ['..', 'A key is not “.” or “..”.'],
    ['a\nb', 'A key has no control characters.'],
  ] as const)('%j can be saved, or says why not', ([key, fault]) => {
    expect(keyFault(key)).toBe(fault)
    expect(canSave(key)).toBe(fault === undefined)
  })

  test('that is empty is only not finished: nothing is said, and nothing can be saved', () => {
    expect(keyFault('')).toBeUndefined()
    expect(canSave('')).toBe(false)
  })

  test('that can be saved stays itself as a part of an address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[./%2eE\\]{1,5}$/)), (key) => {
        fc.pre(canSave(key))
        const { pathname } = new URL(`/passport/preferences/me/${encodeURIComponent(key)}`, 'https://passport.example')
        expect(decodeURIComponent(pathname.replace('/passport/preferences/me/', ''))).toBe(key)
      }),
    )
  })
})

describe('after a row was saved', () => {
  test('it is not changed any more, and what was said of it is gone', () => {
    const row = saved({ value: 'light', state: 'saving', complaint: 'no' })
    const [after] = afterSave([row], row.id, row)
    expect(after).toEqual({ ...row, saved: { key: row.key, value: 'light' }, state: 'idle', complaint: undefined })
    expect(after && isChanged(after)).toBe(false)
  })

  test('what was typed meanwhile is kept, and is a change', () => {
    const sent = saved({ value: 'light', state: 'saving' })
    const [after] = afterSave([{ ...sent, value: 'lighter' }], sent.id, sent)
    expect(after).toMatchObject({ value: 'lighter', saved: { value: 'light' } })
    expect(after && isChanged(after)).toBe(true)
  })

  test('as a new key, the old one stands before it as it was', () => {
    const row = saved({ key: 'New', value: 'light' })
    const rows = afterSave([row], row.id, row)
    expect(contents(rows)).toEqual([
      { ...theme, saved: theme },
      { key: 'New', value: 'light', saved: { key: 'New', value: 'light' } },
    ])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2)
  })

  test('as the key of another row, that row is replaced', () => {
    const [first, second] = rowsOf([theme, { key: 'Other', value: '1' }])
    if (!first || !second) throw new Error('There are no rows')
    const added = newRow({ key: 'Other', value: '2' })
    const rows = afterSave([first, second, added], added.id, added)
    expect(contents(rows)).toEqual([
      { ...theme, saved: theme },
      { key: 'Other', value: '2', saved: { key: 'Other', value: '2' } },
    ])
  })

  test('with an empty value, what was typed meanwhile stays, and is not saved', () => {
    const sent = saved({ value: '', state: 'saving' })
    const [after] = afterSave([{ ...sent, value: 'after all' }], sent.id, sent)
    expect(after).toMatchObject({ key: theme.key, value: 'after all', saved: undefined, state: 'idle' })
  })

  test('with an empty value, it is gone', () => {
    const row = saved({ value: '' })
    expect(afterSave([row], row.id, row)).toEqual([])
  })

  test('as a new key with an empty value, only the old one is there', () => {
    const row = saved({ key: 'New', value: '' })
    expect(contents(afterSave([row], row.id, row))).toEqual([{ ...theme, saved: theme }])
  })

  test('the rows that have not been saved under its key stay as they are', () => {
    const row = saved({ value: 'light' })
    const typed = newRow({ key: theme.key, value: 'of another try' })
    expect(afterSave([typed, row], row.id, row)[0]).toBe(typed)
  })
})

test('a change is of one row, and the others stay the same', () => {
  const [one, other] = rowsOf([theme, { key: 'Other', value: '1' }])
  if (!one || !other) throw new Error('There are no rows')
  const rows = change([one, other], one.id, { value: 'light', state: 'failed' })
  expect(rows[0]).toEqual({ ...one, value: 'light', state: 'failed' })
  expect(rows[1]).toBe(other)
})

describe('a filter', () => {
  const rows = rowsOf([theme, { key: 'Other.Size', value: 'DARKER' }, { key: 'x', value: 'y' }])

  test.for([
    ['', ['MyApp.Theme', 'Other.Size', 'x']],
    ['theme', ['MyApp.Theme']],
    ['dark', ['MyApp.Theme', 'Other.Size']],
    ['Other.', ['Other.Size']],
    ['.*', []],
    ['xy', []],
  ] as const)('%j finds in keys and values, in any case of letters and not across them', ([text, keys]) => {
    expect(matching(rows, text).map(({ key }) => key)).toEqual(keys)
  })
})
