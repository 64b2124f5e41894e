import { findPreferenceKeyError } from '@passport/contract/preference-key'
import type { Preference } from '@passport/contract/preferences'

/** A row of the table: the typed values and the saved ones. */
export interface Row extends Preference {
  id: number
  /** The last saved preference; undefined if never saved. */
  saved: Preference | undefined
  state: 'idle' | 'saving' | 'failed'
  /** The error of the last attempt. */
  error?: string | undefined
}

let lastId = 0

/** Creates an unsaved row. */
export const createRow = ({ key, value }: Preference): Row => ({
  id: ++lastId,
  key,
  value,
  saved: undefined,
  state: 'idle',
})

/** Creates the rows of saved preferences. */
export const toRows = (preferences: Preference[]): Row[] =>
  preferences.map((saved) => ({ id: ++lastId, ...saved, saved, state: 'idle' }))

/** Reports whether a row differs from its saved preference; a row never saved does. */
export const isChanged = ({ key, value, saved }: Row): boolean => saved?.key !== key || saved.value !== value

/** Returns the error of a typed key; an empty key is incomplete, which is no error yet. */
export const findKeyError = (key: string): string | undefined => (key === '' ? undefined : findPreferenceKeyError(key))

/** Reports whether a key can be saved; with an empty one, the call would have the URL of the list. */
export const canSave = (key: string): boolean => findPreferenceKeyError(key) === undefined

/** Describes the side effect of saving a row; returns undefined if there is none. */
export function describeSave({ key, value, saved }: Row): string | undefined {
  if (saved && saved.key !== key && key !== '') return `Saving as a new key; ‘${saved.key}’ stays`
  if (saved && value === '') return 'Saving an empty value deletes this key'
  return undefined
}

/** Returns the rows after one was saved with this key and value; input typed during the save is kept. */
export function applySave(rows: Row[], id: number, { key, value }: Preference): Row[] {
  return rows.flatMap((row) => {
    if (row.id !== id) return row.saved?.key === key ? [] : row
    const renamed = row.saved && row.saved.key !== key ? toRows([row.saved]) : []
    const savedRow: Row = { ...row, saved: { key, value }, state: 'idle', error: undefined }
    if (value !== '') return [...renamed, savedRow]
    const isTouched = row.key !== key || row.value !== value
    return isTouched ? [...renamed, { ...savedRow, saved: undefined }] : renamed
  })
}

/** Returns the rows with changes to one of them. */
export const updateRow = (rows: Row[], id: number, changes: Partial<Row>): Row[] =>
  rows.map((row) => (row.id === id ? { ...row, ...changes } : row))

/** Returns the rows whose key or value contains a text, ignoring case. */
export function filterRows<P extends Preference>(rows: P[], text: string): P[] {
  const lowerText = text.toLowerCase()
  return rows.filter(({ key, value }) => `${key}\n${value}`.toLowerCase().includes(lowerText))
}
