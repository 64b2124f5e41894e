import { findPreferenceKeyError } from '@passport/contract/preference-key'
import type { ListedPreference, Preference } from '@passport/contract/preferences'
import { useRef, useState } from 'react'
import { reportSuccess, reportWithUndo } from '../app/messages.ts'
import { toast } from '../ui/toast.ts'
import { applySave, createRow, findSaved, type Row, toRows, updateRow } from './rows.ts'
import { Conflict, save as send } from './save.ts'

/** The rows of the table and their actions. A failure is shown on its row and in a toast. */
export function useRows(initial: () => Row[]) {
  const [rows, setRows] = useState(initial)
  // An import saves one preference after the other, each on the rows of the one before.
  const latest = useRef(rows)
  latest.current = rows
  const update = (row: Row, changes: Partial<Row>) => setRows((all) => updateRow(all, row.id, changes))

  /** Shows the failure of a save, or of a deletion if `mine` is empty, and rejects with it. */
  function fail(row: Row, mine: string, error: unknown): never {
    if (error instanceof Conflict) {
      update(row, { state: 'failed', isEditing: false, conflict: { mine, theirs: error.theirs } })
      throw error
    }
    const { message } = error as Error
    // The row of a new preference has a button to retry; a changed one is retried in its editor.
    update(row, { state: 'failed', error: message, ...(row.saved && mine !== '' && { isEditing: true }) })
    void toast({ type: 'error', content: message })
    throw error
  }

  async function save(row: Row, base = findSaved(latest.current, row.key)) {
    const { key, value } = row
    update(row, { key, value, state: 'saving', error: undefined, conflict: undefined })
    const saved = await send(row, base).catch((error: unknown) => fail(row, value, error))
    setRows((all) => applySave(all, row.id, row, saved))
  }

  /** Saves an empty value, which deletes the preference on the server, then removes the row. */
  async function remove(row: Row, base: ListedPreference | undefined) {
    const key = base?.key ?? row.key
    if (base) {
      update(row, { state: 'saving', error: undefined, conflict: undefined })
      await send({ key, value: '' }, base).catch((error: unknown) => fail(row, '', error))
    }
    setRows((all) => all.filter(({ id }) => id !== row.id))
    if (base) reportWithUndo(`${key} deleted`, () => restore(base))
  }

  /** Saves a deleted preference again, and adds its row unless another row has its key. */
  async function restore({ key, value }: Preference) {
    const saved = await send({ key, value }, undefined)
    if (saved) setRows((all) => (findSaved(all, key) ? all : [...all, ...toRows([saved])]))
  }

  return {
    rows,
    edit: (row: Row, changes: Partial<Pick<Row, 'key' | 'value' | 'isEditing'>>) => update(row, changes),
    /** Closes the editor without saving. */
    cancel: (row: Row) => {
      const { key, value } = row.saved ?? row
      update(row, { key, value, isEditing: false, state: 'idle', error: undefined })
    },
    save: (row: Row) =>
      void save(row).then(
        () => reportSuccess(`${row.key} saved`),
        () => {},
      ),
    remove: (row: Row) => void remove(row, row.saved).catch(() => {}),
    restore,
    /** Ends a conflict: the user's value is saved over the other one, or the other one is kept. */
    resolve: (row: Row, choice: 'mine' | 'theirs') => {
      if (!row.conflict) return
      const { mine, theirs } = row.conflict
      if (choice === 'theirs') {
        const kept = { key: row.key, value: theirs?.value ?? '' }
        setRows((all) => applySave(updateRow(all, row.id, kept), row.id, kept, theirs))
      } else if (mine === '') void remove(row, theirs).catch(() => {})
      else void save({ ...row, value: mine }, theirs).catch(() => {})
    },
    /** Appends the row, then saves it; rejects on failure and keeps the row for a retry. */
    add: (preference: Preference) => {
      const row = createRow(preference)
      setRows((all) => [...all, row])
      const keyError = findPreferenceKeyError(row.key)
      if (keyError === undefined) return save(row)
      // The field shows the error of a typed key; only that of an empty key is reported here.
      update(row, { state: 'failed', error: row.key === '' ? keyError : undefined, isEditing: row.key !== '' })
      return Promise.reject(new Error(keyError))
    },
  }
}

export interface RowProps {
  row: Row
  actions: Pick<ReturnType<typeof useRows>, 'edit' | 'cancel' | 'save' | 'remove' | 'resolve'>
}
