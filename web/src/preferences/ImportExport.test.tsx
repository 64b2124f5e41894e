import type { Preference } from '@passport/contract/preferences'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ImportExport } from './ImportExport.tsx'
import { createRow, type Row, toRows } from './rows.ts'

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

describe('import', () => {
  /** Imports a file with this text; saving keys that start with `bad` fails. */
  async function importText(text: string, name = 'some.json') {
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

  test('saves the preferences one at a time, in order', async () => {
    const imported = await importText('{ "b": "1", "a": "", "c/d": "ü" }', 'good.json')
    await screen.findByText('3 of 3 imported')
    expect(imported).toEqual([
      { key: 'b', value: '1' },
      { key: 'a', value: '' },
      { key: 'c/d', value: 'ü' },
    ])
    expect(button('Import').disabled).toBe(false)
  })

  test('continues after failures and reports their number', async () => {
    const imported = await importText('{ "bad.1": "1", "a": "2", "bad.2": "3" }')
    await screen.findByText('1 of 3 imported; 2 failed, see the table')
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
  ] as const)('rejects %s and saves nothing', async ([label, text]) => {
    const name = `${label.replaceAll(' ', '-')}.json`
    const imported = await importText(text, name)
    await screen.findByText(`${name} must be a JSON object with text values`)
    expect(imported).toEqual([])
  })
})

describe('export', () => {
  const blobs: Blob[] = []
  const clickMock = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob)
    return 'blob:it'
  })
  const revokeMock = vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => {})
  afterEach(() => {
    blobs.length = 0
    vi.clearAllMocks()
  })
  const show = (rows: Row[]) => render(<ImportExport rows={rows} onImported={async () => {}} />)

  test('contains saved values, not unsaved input', async () => {
    const [edited, unedited] = toRows([
      { key: 'Theme', value: 'dark' },
      { key: '__proto__', value: 'x' },
    ])
    if (!edited || !unedited) throw new Error('There are no rows')
    show([{ ...edited, key: 'Theme2', value: 'light' }, unedited, createRow({ key: 'new', value: '1' })])
    await userEvent.click(button('Export'))
    expect(clickMock.mock.contexts[0]).toMatchObject({ download: 'preferences.json', href: 'blob:it' })
    expect(await blobs[0]?.text()).toBe('{\n  "Theme": "dark",\n  "__proto__": "x"\n}')
    await waitFor(() => expect(revokeMock).toHaveBeenCalledExactlyOnceWith('blob:it'))
  })

  test('is disabled without rows', () => {
    show([])
    expect(button('Export').disabled).toBe(true)
  })
})
