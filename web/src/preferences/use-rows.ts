import { preferenceKeyFault } from '@passport/contract/preference-key'
import type { Preference } from '@passport/contract/preferences'
import { useState } from 'react'
import { toast } from '../ui/toast.ts'
import { afterSave, change, newRow, type Row } from './rows.ts'
import { save as send } from './save.ts'

/** The rows of the table and what can be done with them. A failure stays on its row, and is told in a message as well. */
export function useRows(initial: () => Row[]) {
  const [rows, setRows] = useState(initial)

  async function save(row: Row) {
    setRows((all) => change(all, row.id, { state: 'saving', complaint: undefined }))
    try {
      await send(row)
      setRows((all) => afterSave(all, row.id, row))
    } catch (error) {
      const complaint = (error as Error).message
      setRows((all) => change(all, row.id, { state: 'failed', complaint }))
      void toast({ type: 'error', content: complaint })
      throw error
    }
  }

  return {
    rows,
    edit: (row: Row, by: Partial<Preference>) => setRows((all) => change(all, row.id, by)),
    save: (row: Row) =>
      void save(row).then(
        () => toast({ type: 'success', content: `Saved ${row.key}` }),
        () => {},
      ),
    /** First saves an empty value, which deletes it on the server, and then takes the row away. */
    remove: async (row: Row) => {
      const key = row.saved?.key ?? row.key
      if (row.saved) {
        setRows((all) => change(all, row.id, { state: 'saving', complaint: undefined }))
        try {
          await send({ key, value: '' })
        } catch (error) {
          const complaint = (error as Error).message
          setRows((all) => change(all, row.id, { state: 'failed', complaint }))
          return void toast({ type: 'error', content: complaint })
        }
      }
      setRows((all) => all.filter(({ id }) => id !== row.id))
      void toast({ type: 'success', content: `Deleted ${key}` })
    },
    /** Appends the row at once and saves it then; rejects where that fails, and the row stays to be tried again. */
    add: (preference: Preference) => {
      const row = newRow(preference)
      setRows((all) => [...all, row])
      const fault = preferenceKeyFault(row.key)
      if (fault === undefined) return save(row)
      // Of a key that was typed the field tells; an empty one is a fault only here.
      setRows((all) => change(all, row.id, { state: 'failed', complaint: row.key === '' ? fault : undefined }))
      return Promise.reject(new Error(fault))
    },
  }
}
