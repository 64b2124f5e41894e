import type { Preference } from '@passport/contract/preferences'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { NewPreference, PreferenceRow } from './PreferenceRow.tsx'
import { type Row, rowsOf } from './rows.ts'

const theme = { key: 'Theme', value: 'dark' }
const rowWith = (by: Partial<Row> = {}): Row => ({ id: 1, ...theme, saved: theme, state: 'idle', ...by })
const inTable = (row: React.ReactNode) => (
  <table>
    <tbody>{row}</tbody>
  </table>
)

function show(row: Row) {
  const acts = { onEdit: vi.fn(), onSave: vi.fn(), onRemove: vi.fn() }
  render(inTable(<PreferenceRow row={row} {...acts} />))
  return acts
}
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
/** What is read out after the name of a field. */
const told = (input: HTMLInputElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent ?? ''

describe('a preference', () => {
  test('that is saved can be deleted, and saved only once it is changed', async () => {
    const { onSave, onRemove } = show(rowWith())
    expect(field('Key of Theme').value).toBe('Theme')
    expect(field('Value of Theme').value).toBe('dark')
    expect(button('Save Theme').disabled).toBe(true)
    expect(screen.queryByTitle('Not saved')).toBeNull()
    await userEvent.click(button('Delete Theme'))
    expect(onRemove).toHaveBeenCalledOnce()
    expect(onSave).not.toHaveBeenCalled()
  })

  test('that is changed has a mark, and is saved with the button or with Enter in either field', async () => {
    const row = rowWith({ value: 'light' })
    const { onSave } = show(row)
    expect(screen.getByTitle('Not saved')).toBeDefined()
    await userEvent.click(button('Save Theme'))
    await userEvent.type(field('Key of Theme'), '{Enter}')
    await userEvent.type(field('Value of Theme'), '{Enter}')
    expect(onSave.mock.calls).toEqual([[row], [row], [row]])
  })

  test('is not saved by Enter on its other buttons, nor where there is nothing to save', async () => {
    const { onSave, onRemove } = show(rowWith())
    await userEvent.type(field('Value of Theme'), '{Enter}')
    button('Delete Theme').focus()
    await userEvent.keyboard('{Enter}')
    expect(onRemove).toHaveBeenCalledOnce()
    expect(onSave).not.toHaveBeenCalled()
  })

  test('tells what is typed, by field', async () => {
    const row = rowWith()
    const { onEdit } = show(row)
    await userEvent.type(field('Key of Theme'), '2')
    await userEvent.type(field('Value of Theme'), '!')
    expect(onEdit.mock.calls).toEqual([
      [row, { key: 'Theme2' }],
      [row, { value: 'dark!' }],
    ])
  })

  test('is called by its saved key while another is typed, and says what saving will do', () => {
    show(rowWith({ key: 'Theme2' }))
    expect(told(field('Value of Theme'))).toBe('Saving as a new key; ‘Theme’ stays')
    expect(button('Save Theme').disabled).toBe(false)
  })

  test('with an empty value says that saving deletes', () => {
    show(rowWith({ value: '' }))
    expect(told(field('Value of Theme'))).toBe('Saving an empty value deletes this key')
  })

  test('with a key that cannot be one says so at the field, and is not saved', async () => {
    const { onSave } = show(rowWith({ key: '..' }))
    const key = field('Key of Theme')
    expect(key.getAttribute('aria-invalid')).toBe('true')
    expect(told(key)).toBe('A key is not “.” or “..”.')
    await userEvent.type(key, '{Enter}')
    expect(button('Save Theme').disabled).toBe(true)
    expect(onSave).not.toHaveBeenCalled()
  })

  test('that is being saved is neither saved again nor deleted', async () => {
    const { onSave } = show(rowWith({ value: 'light', state: 'saving' }))
    expect(button('Save Theme').getAttribute('aria-busy')).toBe('true')
    expect(button('Save Theme').disabled).toBe(true)
    expect(button('Delete Theme').disabled).toBe(true)
    await userEvent.type(field('Value of Theme'), '{Enter}')
    expect(onSave).not.toHaveBeenCalled()
  })

  test('that could not be saved says why; one that was never saved can be tried again', async () => {
    const row = rowWith({ saved: undefined, state: 'failed', complaint: 'Failed to update key Theme: no connection' })
    const { onSave } = show(row)
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme: no connection Not saved · Retry')
    await userEvent.click(button('Retry'))
    expect(onSave).toHaveBeenCalledExactlyOnceWith(row)
  })

  test('that was saved before and could not be saved anew is tried again with its own button', async () => {
    const { onSave } = show(rowWith({ value: 'light', state: 'failed', complaint: 'Failed to update key Theme' }))
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme')
    await userEvent.click(button('Save Theme'))
    expect(onSave).toHaveBeenCalledOnce()
  })

  test('that could not be deleted says why, and has no retry of a save', () => {
    show(rowWith({ state: 'failed', complaint: 'Failed to update key Theme: status 409 Conflict' }))
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme: status 409 Conflict')
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
  })
})

describe('a new preference', () => {
  function showNew(rows: Row[] = []) {
    const onAdd = vi.fn<(preference: Preference) => void>()
    render(inTable(<NewPreference rows={rows} onAdd={onAdd} />))
    return onAdd
  }

  test('is added with the button, and the fields are empty for the next one', async () => {
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

  test('is added with Enter, once', async () => {
    const onAdd = showNew()
    await userEvent.type(field('New key'), 'a')
    await userEvent.type(field('New value'), 'b{Enter}{Enter}')
    expect(onAdd).toHaveBeenCalledExactlyOnceWith({ key: 'a', value: 'b' })
  })

  test('without a value is none', async () => {
    const onAdd = showNew()
    await userEvent.type(field('New key'), 'a{Enter}')
    expect(onAdd).not.toHaveBeenCalled()
    expect(button('Add').disabled).toBe(true)
    expect(field('New key').value).toBe('a')
    expect(told(field('New value'))).toBe('A new key needs a value')
  })

  test('with a key that cannot be one is not added, and keeps what was typed', async () => {
    const onAdd = showNew()
    await userEvent.type(field('New value'), 'v')
    await userEvent.type(field('New key'), '..{Enter}')
    expect(onAdd).not.toHaveBeenCalled()
    expect(told(field('New key'))).toBe('A key is not “.” or “..”.')
    expect(field('New value').value).toBe('v')
  })

  test('of a key that is there says what that does', async () => {
    showNew(rowsOf([theme]))
    await userEvent.type(field('New key'), 'Them')
    expect(told(field('New value'))).toBe('A new key needs a value')
    await userEvent.type(field('New key'), 'e')
    expect(told(field('New value'))).toBe('There is such a key: an empty value deletes it')
    await userEvent.type(field('New value'), 'light')
    expect(told(field('New value'))).toBe('There is such a key: adding replaces its value')
  })
})
