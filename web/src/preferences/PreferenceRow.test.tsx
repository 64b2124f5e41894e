import type { Preference } from '@passport/contract/preferences'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { NewPreference, PreferenceRow } from './PreferenceRow.tsx'
import { type Row, toRows } from './rows.ts'

const theme = { key: 'Theme', value: 'dark' }
const createSavedRow = (overrides: Partial<Row> = {}): Row => ({
  id: 1,
  ...theme,
  saved: theme,
  state: 'idle',
  ...overrides,
})
const wrapInTable = (row: React.ReactNode) => (
  <table>
    <tbody>{row}</tbody>
  </table>
)

function show(row: Row) {
  const handlers = { onEdit: vi.fn(), onSave: vi.fn(), onRemove: vi.fn() }
  render(wrapInTable(<PreferenceRow row={row} {...handlers} />))
  return handlers
}
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
/** Returns the accessible description of a field. */
const readDescription = (input: HTMLInputElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent ?? ''

describe('PreferenceRow', () => {
  test('deletes a saved preference, and saves it only after a change', async () => {
    const { onSave, onRemove } = show(createSavedRow())
    expect(field('Key of Theme').value).toBe('Theme')
    expect(field('Value of Theme').value).toBe('dark')
    expect(button('Save Theme').disabled).toBe(true)
    expect(screen.queryByTitle('Unsaved')).toBeNull()
    await userEvent.click(button('Delete Theme'))
    expect(onRemove).toHaveBeenCalledOnce()
    expect(onSave).not.toHaveBeenCalled()
  })

  test('marks a change, and saves it with the button or Enter in either field', async () => {
    const row = createSavedRow({ value: 'light' })
    const { onSave } = show(row)
    expect(screen.getByTitle('Unsaved')).toBeDefined()
    await userEvent.click(button('Save Theme'))
    await userEvent.type(field('Key of Theme'), '{Enter}')
    await userEvent.type(field('Value of Theme'), '{Enter}')
    expect(onSave.mock.calls).toEqual([[row], [row], [row]])
  })

  test('ignores Enter on other buttons, and without changes', async () => {
    const { onSave, onRemove } = show(createSavedRow())
    await userEvent.type(field('Value of Theme'), '{Enter}')
    button('Delete Theme').focus()
    await userEvent.keyboard('{Enter}')
    expect(onRemove).toHaveBeenCalledOnce()
    expect(onSave).not.toHaveBeenCalled()
  })

  test('reports typing by field', async () => {
    const row = createSavedRow()
    const { onEdit } = show(row)
    await userEvent.type(field('Key of Theme'), '2')
    await userEvent.type(field('Value of Theme'), '!')
    expect(onEdit.mock.calls).toEqual([
      [row, { key: 'Theme2' }],
      [row, { value: 'dark!' }],
    ])
  })

  test('keeps the saved key in its labels while another is typed, and explains the save', () => {
    show(createSavedRow({ key: 'Theme2' }))
    expect(readDescription(field('Value of Theme'))).toBe('Saving as a new key; ‘Theme’ stays')
    expect(button('Save Theme').disabled).toBe(false)
  })

  test('explains that saving an empty value deletes', () => {
    show(createSavedRow({ value: '' }))
    expect(readDescription(field('Value of Theme'))).toBe('Saving an empty value deletes this key')
  })

  test('shows an invalid key at its field and does not save it', async () => {
    const { onSave } = show(createSavedRow({ key: '..' }))
    const key = field('Key of Theme')
    expect(key.getAttribute('aria-invalid')).toBe('true')
    expect(readDescription(key)).toBe('A key must not be “.” or “..”.')
    await userEvent.type(key, '{Enter}')
    expect(button('Save Theme').disabled).toBe(true)
    expect(onSave).not.toHaveBeenCalled()
  })

  test('reports an emptied key at its field', () => {
    show(createSavedRow({ key: '' }))
    expect(readDescription(field('Key of Theme'))).toBe('Enter a key')
    expect(button('Save Theme').disabled).toBe(true)
  })

  test('can be neither saved nor deleted while saving', async () => {
    const { onSave } = show(createSavedRow({ value: 'light', state: 'saving' }))
    expect(button('Save Theme').getAttribute('aria-busy')).toBe('true')
    expect(button('Save Theme').disabled).toBe(true)
    expect(button('Delete Theme').disabled).toBe(true)
    await userEvent.type(field('Value of Theme'), '{Enter}')
    expect(onSave).not.toHaveBeenCalled()
  })

  test('shows a failure, with a retry if it was never saved', async () => {
    const row = createSavedRow({
      saved: undefined,
      state: 'failed',
      error: 'Failed to update key Theme: no connection',
    })
    const { onSave } = show(row)
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme: no connection Not saved · Retry')
    await userEvent.click(button('Retry'))
    expect(onSave).toHaveBeenCalledExactlyOnceWith(row)
  })

  test('retries a failed change with its Save button', async () => {
    const { onSave } = show(createSavedRow({ value: 'light', state: 'failed', error: 'Failed to update key Theme' }))
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme')
    await userEvent.click(button('Save Theme'))
    expect(onSave).toHaveBeenCalledOnce()
  })

  test('shows a failed deletion without a retry', () => {
    show(createSavedRow({ state: 'failed', error: 'Failed to update key Theme: status 409 Conflict' }))
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme: status 409 Conflict')
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
  })
})

describe('NewPreference', () => {
  function showNew(rows: Row[] = []) {
    const onAdd = vi.fn<(preference: Preference) => void>()
    render(wrapInTable(<NewPreference rows={rows} onAdd={onAdd} />))
    return onAdd
  }

  test('adds with the button and clears the fields', async () => {
    const onAdd = showNew()
    expect(button('Add').disabled).toBe(true)
    await userEvent.type(field('New key'), 'a')
    await userEvent.type(field('New value'), 'b')
    await userEvent.click(button('Add'))
    expect(onAdd).toHaveBeenCalledExactlyOnceWith({ key: 'a', value: 'b' })
    expect(field('New key').value).toBe('')
    expect(field('New value').value).toBe('')
    expect(button('Add').disabled).toBe(true)
  })

  test('adds with Enter, once', async () => {
    const onAdd = showNew()
    await userEvent.type(field('New key'), 'a')
    await userEvent.type(field('New value'), 'b{Enter}{Enter}')
    expect(onAdd).toHaveBeenCalledExactlyOnceWith({ key: 'a', value: 'b' })
  })

  test('requires a value', async () => {
    const onAdd = showNew()
    await userEvent.type(field('New key'), 'a{Enter}')
    expect(onAdd).not.toHaveBeenCalled()
    expect(button('Add').disabled).toBe(true)
    expect(field('New key').value).toBe('a')
    expect(readDescription(field('New value'))).toBe('Enter a value')
  })

  test('rejects an invalid key and keeps the input', async () => {
    const onAdd = showNew()
    await userEvent.type(field('New value'), 'v')
    await userEvent.type(field('New key'), '..{Enter}')
    expect(onAdd).not.toHaveBeenCalled()
    expect(readDescription(field('New key'))).toBe('A key must not be “.” or “..”.')
    expect(field('New value').value).toBe('v')
  })

  test('explains the effect of an existing key', async () => {
    showNew(toRows([theme]))
    await userEvent.type(field('New key'), 'Them')
    expect(readDescription(field('New value'))).toBe('Enter a value')
    await userEvent.type(field('New key'), 'e')
    expect(readDescription(field('New value'))).toBe('This key exists: an empty value deletes it')
    await userEvent.type(field('New value'), 'light')
    expect(readDescription(field('New value'))).toBe('This key exists: adding replaces its value')
  })
})
