import { preferenceKeyFault } from '@passport/contract/preference-key'
import type { Preference } from '@passport/contract/preferences'

/** A row of the table: what is typed, and what the server has of it. */
export interface Row extends Preference {
  id: number
  /** What was saved last; none where it never was. */
  saved: Preference | undefined
  state: 'idle' | 'saving' | 'failed'
  /** What to say of the last try. */
  complaint?: string | undefined
}

let serial = 0

/** A row that is not saved yet. */
export const newRow = ({ key, value }: Preference): Row => ({
  id: ++serial,
  key,
  value,
  saved: undefined,
  state: 'idle',
})

export const rowsOf = (preferences: Preference[]): Row[] =>
  preferences.map((saved) => ({ id: ++serial, ...saved, saved, state: 'idle' }))

export const isChanged = ({ key, value, saved }: Row): boolean => saved?.key !== key || saved.value !== value

/** What is wrong with a key that was typed; an empty one is only not finished. */
export const keyFault = (key: string): string | undefined => (key === '' ? undefined : preferenceKeyFault(key))

/** Whether a key can be sent at all: an empty one would be another address. */
export const canSave = (key: string): boolean => preferenceKeyFault(key) === undefined

/** What saving a row will do besides what one would expect. */
export function hintOf({ key, value, saved }: Row): string | undefined {
  if (saved && saved.key !== key) return `Saving as a new key; ‘${saved.key}’ stays`
  if (saved && value === '') return 'Saving an empty value deletes this key'
  return undefined
}

/** The rows as they are once one was saved with this key and value; what was typed into it meanwhile stays. */
export function afterSave(rows: Row[], id: number, { key, value }: Preference): Row[] {
  return rows.flatMap((row) => {
    if (row.id !== id) return row.saved?.key === key ? [] : row
    const renamed = row.saved && row.saved.key !== key ? rowsOf([row.saved]) : []
    const savedRow: Row = { ...row, saved: { key, value }, state: 'idle', complaint: undefined }
    if (value !== '') return [...renamed, savedRow]
    const isTouched = row.key !== key || row.value !== value
    return isTouched ? [...renamed, { ...savedRow, saved: undefined }] : renamed
  })
}

export const change = (rows: Row[], id: number, by: Partial<Row>): Row[] =>
  rows.map((row) => (row.id === id ? { ...row, ...by } : row))

/** The rows that have a text in their key or value, in any case of letters. */
export function matching<P extends Preference>(rows: P[], text: string): P[] {
  const wanted = text.toLowerCase()
  return rows.filter(({ key, value }) => `${key}\n${value}`.toLowerCase().includes(wanted))
}
