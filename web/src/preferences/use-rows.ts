import { findPreferenceKeyError } from '@passport/contract/preference-key'
import type { Preference } from '@passport/contract/preferences'
import { useState } from 'react'
import { reportSuccess, reportWithUndo } from '../app/messages.ts'
import { toast } from '../ui/toast.ts'
import { applySave, createRow, type Row, toRows, updateRow } from './rows.ts'
import { save as send } from './save.ts'

/** The rows of the table and their actions. A failure is shown on its row and in a toast. */
export function useRows(initial: () => Row[]) {
  const [rows, setRows] = useState(initial)

  async function save(row: Row) {
    setRows((all) => updateRow(all, row.id, { state: 'saving', error: undefined }))
    try {
      await send(row)
      setRows((all) => applySave(all, row.id, row))
    } catch (error) {
      const message = (error as Error).message
      setRows((all) => updateRow(all, row.id, { state: 'failed', error: message }))
      void toast({ type: 'error', content: message })
      throw error
    }
  }

  /** Saves a deleted preference again, and adds its row unless another row has its key. */
  async function restore(preference: Preference) {
    await send(preference)
    setRows((all) => (all.some(({ saved }) => saved?.key === preference.key) ? all : [...all, ...toRows([preference])]))
  }

  return {
    rows,
    edit: (row: Row, changes: Partial<Preference>) => setRows((all) => updateRow(all, row.id, changes)),
    save: (row: Row) =>
      void save(row).then(
        () => reportSuccess(`${row.key} saved`),
        () => {},
      ),
    /** Saves an empty value, which deletes it on the server, then removes the row. */
    remove: async (row: Row) => {
      const key = row.saved?.key ?? row.key
      if (row.saved) {
        setRows((all) => updateRow(all, row.id, { state: 'saving', error: undefined }))
        try {
          await send({ key, value: '' })
        } catch (error) {
          const message = (error as Error).message
          setRows((all) => updateRow(all, row.id, { state: 'failed', error: message }))
          return void toast({ type: 'error', content: message })
        }
      }
      setRows((all) => all.filter(({ id }) => id !== row.id))
      if (row.saved) reportWithUndo(`${key} deleted`, () => restore(row.saved as Preference))
    },
    /** Appends the row, then saves it; rejects on failure and keeps the row for a retry. */
    add: (preference: Preference) => {
      const row = createRow(preference)
      setRows((all) => [...all, row])
      const keyError = findPreferenceKeyError(row.key)
      if (keyError === undefined) return save(row)
      // The field shows the error of a typed key; only that of an empty key is reported here.
      setRows((all) => updateRow(all, row.id, { state: 'failed', error: row.key === '' ? keyError : undefined }))
      return Promise.reject(new Error(keyError))
    },
  }
}
