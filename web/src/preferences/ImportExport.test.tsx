import type { Preference } from '@passport/contract/preferences'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ImportExport } from './ImportExport.tsx'
import { newRow, type Row, rowsOf } from './rows.ts'

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

describe('a file that is imported', () => {
  /** Reads a file with this text; keys that start with `bad` cannot be saved. */
  async function read(text: string, name = 'some.json') {
    const imported: Preference[] = []
    const onImported = async (preference: Preference) => {
      imported.push(preference)
      if (preference.key.startsWith('bad')) throw new Error('no')
    }
    render(<ImportExport rows={[]} onImported={onImported} />)
    await userEvent.upload(
      screen.getByLabelText('File to import'),
      new File([text], name, { type: 'application/json' }),
    )
    return imported
  }

  test('is saved a preference at a time, in its order', async () => {
    const imported = await read('{ "b": "1", "a": "", "c/d": "ü" }', 'good.json')
    await screen.findByText('Imported 3 of 3')
    expect(imported).toEqual([
      { key: 'b', value: '1' },
      { key: 'a', value: '' },
      { key: 'c/d', value: 'ü' },
    ])
    expect(button('Import').disabled).toBe(false)
  })

  test('is saved to its end where some cannot be, and their number is told', async () => {
    const imported = await read('{ "bad.1": "1", "a": "2", "bad.2": "3" }')
    await screen.findByText('Imported 1 of 3; 2 are marked in the table')
    expect(imported).toHaveLength(3)
  })

  test.for([
    ['no JSON', 'key = value'],
    ['nothing', ''],
    ['a list', '["a", "b"]'],
    ['an empty list', ' []'],
    ['a text', '"abc"'],
    ['a number', '5'],
    ['null', 'null'],
    ['values that are not text', '{ "a": "1", "b": 2 }'],
    ['values within values', '{ "a": { "b": "1" } }'],
  ] as const)('is refused with %s in it, and nothing is saved', async ([what, text]) => {
    const name = `${what.replaceAll(' ', '-')}.json`
    const imported = await read(text, name)
    await screen.findByText(`${name} is not a JSON object of keys and text values`)
    expect(imported).toEqual([])
  })
})

describe('a file that is exported', () => {
  const blobs: Blob[] = []
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob)
    return 'blob:it'
  })
  const revoked = vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => {})
  afterEach(() => {
    blobs.length = 0
    vi.clearAllMocks()
  })
  const show = (rows: Row[]) => render(<ImportExport rows={rows} onImported={async () => {}} />)

  test('has what is saved, and not what is only typed', async () => {
    const [edited, other] = rowsOf([
      { key: 'Theme', value: 'dark' },
      { key: '__proto__', value: 'x' },
    ])
    if (!edited || !other) throw new Error('There are no rows')
    show([{ ...edited, key: 'Theme2', value: 'light' }, other, newRow({ key: 'new', value: '1' })])
    await userEvent.click(button('Export'))
    expect(clicked.mock.contexts[0]).toMatchObject({ download: 'preferences.json', href: 'blob:it' })
    expect(await blobs[0]?.text()).toBe('{\n  "Theme": "dark",\n  "__proto__": "x"\n}')
    await waitFor(() => expect(revoked).toHaveBeenCalledExactlyOnceWith('blob:it'))
  })

  test('is not offered where there is nothing', () => {
    show([])
    expect(button('Export').disabled).toBe(true)
  })
})
