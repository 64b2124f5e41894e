import type { Preference } from '@passport/contract/preferences'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { NewPreference } from './NewPreference.tsx'
import { PreferenceRow } from './PreferenceRow.tsx'
import { findKeyError, isChanged, type Row, toRows } from './rows.ts'

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
  const actions = { edit: vi.fn(), cancel: vi.fn(), save: vi.fn(), remove: vi.fn(), resolve: vi.fn() }
  const state = { isChanged: isChanged(row), keyError: findKeyError(row.key) }
  render(wrapInTable(<PreferenceRow {...{ row, actions }} {...state} />))
  return actions
}
/** Shows the editor of a row, whose code loads on demand. */
async function showEditor(overrides: Partial<Row> = {}) {
  const row = createSavedRow({ isEditing: true, ...overrides })
  const actions = show(row)
  await screen.findByLabelText('Value')
  return { row, ...actions }
}
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
/** Returns the accessible description of a field. */
const readDescription = (input: HTMLInputElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent ?? ''

describe('PreferenceRow', () => {
  test('reads as text until Edit is pressed', async () => {
    const row = createSavedRow()
    const { edit, remove } = show(row)
    expect(field('Key of Theme').readOnly).toBe(true)
    expect(field('Value of Theme').value).toBe('dark')
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
    await userEvent.click(button('Edit Theme'))
    expect(edit).toHaveBeenCalledExactlyOnceWith(row, { isEditing: true })
    await userEvent.click(button('Delete Theme'))
    expect(remove).toHaveBeenCalledExactlyOnceWith(row)
  })

  test('shows a failure, with a retry if it was never saved', async () => {
    const row = createSavedRow({
      saved: undefined,
      state: 'failed',
      error: 'Failed to update key Theme: no connection',
    })
    const { save } = show(row)
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme: no connection Not saved · Retry')
    await userEvent.click(button('Retry'))
    expect(save).toHaveBeenCalledExactlyOnceWith(row)
  })

  test('shows a failed deletion without a retry', () => {
    show(createSavedRow({ state: 'failed', error: 'Failed to update key Theme: status 409 Conflict' }))
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme: status 409 Conflict')
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
  })
})

describe('the editor', () => {
  test('has the focus in the value, and saves only after a change', async () => {
    const { save } = await showEditor()
    expect(document.activeElement).toBe(field('Value'))
    expect(button('Save').disabled).toBe(true)
    await userEvent.type(field('Key'), '{Enter}')
    expect(save).not.toHaveBeenCalled()
  })

  test('saves with the button, Enter in the key, and Ctrl and Enter in the value', async () => {
    const { row, save } = await showEditor({ value: 'light' })
    await userEvent.click(button('Save'))
    await userEvent.type(field('Key'), '{Enter}')
    await userEvent.type(field('Value'), '{Enter}')
    await userEvent.type(field('Value'), '{Control>}{Enter}{/Control}')
    expect(save.mock.calls).toEqual([[row], [row], [row]])
  })

  test('closes with Escape if nothing changed, and with Cancel', async () => {
    const { row, cancel } = await showEditor()
    await userEvent.keyboard('{Escape}')
    await userEvent.click(button('Cancel'))
    expect(cancel.mock.calls).toEqual([[row], [row]])
  })

  test('keeps changes on Escape', async () => {
    const { cancel } = await showEditor({ value: 'light' })
    await userEvent.keyboard('{Escape}')
    expect(cancel).not.toHaveBeenCalled()
  })

  test('reports typing by field', async () => {
    const { row, edit } = await showEditor()
    await userEvent.type(field('Key'), '2')
    await userEvent.type(field('Value'), '!')
    expect(edit.mock.calls).toEqual([
      [row, { key: 'Theme2' }],
      [row, { value: 'dark!' }],
    ])
  })

  test.for([
    [{ key: 'Theme2' }, 'Saving as a new key; ‘Theme’ stays'],
    [{ value: '' }, 'Saving an empty value deletes this key'],
    [{ value: '{"a":' }, 'Not valid JSON'],
    [{ value: '{"a":1}' }, ''],
  ] as const)('of %o explains: %s', async ([typed, hint]) => {
    await showEditor(typed)
    expect(readDescription(field('Value'))).toBe(hint)
    expect(button('Save').disabled).toBe(false)
  })

  test.for([
    ['..', 'A key must not be “.” or “..”.'],
    ['', 'Enter a key'],
  ] as const)('shows the invalid key “%s” at its field and does not save it', async ([key, reason]) => {
    const { save } = await showEditor({ key })
    expect(field('Key').getAttribute('aria-invalid')).toBe('true')
    expect(readDescription(field('Key'))).toBe(reason)
    await userEvent.type(field('Key'), '{Enter}')
    expect(button('Save').disabled).toBe(true)
    expect(save).not.toHaveBeenCalled()
  })

  test('formats JSON on request', async () => {
    const { row, edit } = await showEditor({ value: '{"a":[1]}' })
    await userEvent.click(button('Format JSON'))
    expect(edit).toHaveBeenCalledExactlyOnceWith(row, { value: '{\n  "a": [\n    1\n  ]\n}' })
  })

  test('cannot be left by Save or Cancel while saving', async () => {
    const { save } = await showEditor({ value: 'light', state: 'saving' })
    expect(button('Save').getAttribute('aria-busy')).toBe('true')
    expect(button('Cancel').disabled).toBe(true)
    expect(button('Delete Theme').disabled).toBe(true)
    await userEvent.type(field('Value'), '{Control>}{Enter}{/Control}')
    expect(save).not.toHaveBeenCalled()
  })

  test('shows a failed change, which Save sends again', async () => {
    const { save } = await showEditor({ value: 'light', state: 'failed', error: 'Failed to update key Theme' })
    expect(screen.getByRole('alert').textContent).toBe('Failed to update key Theme')
    await userEvent.click(button('Save'))
    expect(save).toHaveBeenCalledOnce()
  })
})

describe('a conflict', () => {
  test.for([
    [
      { mine: 'mine', theirs: { key: 'Theme', value: 'theirs' } },
      ['theirs', 'mine'],
      'Keep the saved value',
      'Save mine',
    ],
    [{ mine: 'mine', theirs: undefined }, ['Deleted', 'mine'], 'Leave it deleted', 'Save mine'],
    [
      { mine: '', theirs: { key: 'Theme', value: 'theirs' } },
      ['theirs', 'Deleted'],
      'Keep the saved value',
      'Delete anyway',
    ],
  ] as const)('of %o shows both values and a choice', async ([conflict, values, keep, overwrite]) => {
    const row = createSavedRow({ state: 'failed', conflict: { ...conflict } })
    const { resolve } = show(row)
    const alert = await screen.findByRole('alert')
    for (const value of values) expect(alert.textContent).toContain(value)
    expect(button('Edit Theme').disabled).toBe(true)
    await userEvent.click(button(keep))
    await userEvent.click(button(overwrite))
    expect(resolve.mock.calls).toEqual([
      [row, 'theirs'],
      [row, 'mine'],
    ])
  })
})

describe('NewPreference', () => {
  function showNew(rows: Row[] = [], limit?: string) {
    const onAdd = vi.fn<(preference: Preference) => void>()
    render(wrapInTable(<NewPreference rows={rows} limit={limit} onAdd={onAdd} />))
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

  test('at the limit replaces a value, but adds none', async () => {
    const onAdd = showNew(toRows([theme]), 'You have 500 of 500 preferences: delete one first')
    await userEvent.type(field('New value'), 'v')
    await userEvent.type(field('New key'), 'Them{Enter}')
    expect(readDescription(field('New key'))).toBe('You have 500 of 500 preferences: delete one first')
    expect(button('Add').disabled).toBe(true)
    await userEvent.type(field('New key'), 'e{Enter}')
    expect(onAdd).toHaveBeenCalledExactlyOnceWith({ key: 'Theme', value: 'v' })
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
