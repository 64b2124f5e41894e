import { findPreferenceKeyError } from '@passport/contract/preference-key'
import type { ListedPreference, Preference } from '@passport/contract/preferences'
import type { Conflict } from './save.ts'

/** A row of the table: the typed values and the saved ones. */
export interface Row extends Preference {
  id: number
  /** The last saved preference; undefined if never saved. */
  saved: ListedPreference | undefined
  state: 'idle' | 'saving' | 'failed'
  /** The editor is open. */
  isEditing?: boolean | undefined
  /** The error of the last attempt. */
  error?: string | undefined
  /** The value that the user wanted to save, empty for a deletion, and the one that was saved by then. */
  conflict?: { mine: string; theirs: Conflict['theirs'] } | undefined
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
export const toRows = (preferences: ListedPreference[]): Row[] =>
  preferences.map((saved) => ({ id: ++lastId, key: saved.key, value: saved.value, saved, state: 'idle' }))

/** Reports whether a row differs from its saved preference; a row never saved does. */
export const isChanged = ({ key, value, saved }: Row): boolean => saved?.key !== key || saved.value !== value

/** Returns the error of a typed key; an empty key is incomplete, which is no error yet. */
export const findKeyError = (key: string): string | undefined => (key === '' ? undefined : findPreferenceKeyError(key))

/** Reports whether a key can be saved; with an empty one, the call would have the URL of the list. */
export const canSave = (key: string): boolean => findPreferenceKeyError(key) === undefined

/** Returns the saved preference with a key, in any row. */
export const findSaved = (rows: Row[], key: string): ListedPreference | undefined =>
  rows.find(({ saved }) => saved?.key === key)?.saved

/**
 * Returns the rows after one was saved with this key and value, and is now `saved`, or deleted if undefined; input typed
 * during the save is kept.
 */
export function applySave(
  rows: Row[],
  id: number,
  { key, value }: Preference,
  saved: ListedPreference | undefined,
): Row[] {
  return rows.flatMap((row) => {
    if (row.id !== id) return row.saved?.key === key ? [] : row
    const renamed = row.saved && row.saved.key !== key ? toRows([row.saved]) : []
    const isTouched = row.key !== key || row.value !== value
    const savedRow: Row = {
      ...row,
      saved,
      state: 'idle',
      error: undefined,
      conflict: undefined,
      isEditing: row.isEditing && isTouched,
    }
    return saved || isTouched ? [...renamed, savedRow] : renamed
  })
}

/** Returns the rows with changes to one of them. */
export const updateRow = (rows: Row[], id: number, changes: Partial<Row>): Row[] =>
  rows.map((row) => (row.id === id ? { ...row, ...changes } : row))

/** Returns the rows in a namespace whose key or value contains a text, ignoring case. */
export function filterRows<P extends Preference>(rows: P[], text: string, namespace = ''): P[] {
  const lowerText = text.toLowerCase()
  return rows.filter(
    ({ key, value }) => key.startsWith(namespace) && `${key}\n${value}`.toLowerCase().includes(lowerText),
  )
}

/** Returns the namespace of a key, such as `MyApp.`; empty without one. */
const findNamespace = (key: string): string => /^[^.]+\./.exec(key)?.[0] ?? ''

/** Groups rows by the namespace of their saved keys, in the order of their first rows; those without one are last. */
export function groupByNamespace(rows: Row[]): [namespace: string, rows: Row[]][] {
  const groups = [...Map.groupBy(rows, ({ saved, key }) => findNamespace(saved?.key ?? key))]
  return groups.toSorted(([a], [b]) => Number(a === '') - Number(b === ''))
}

/** Returns the namespaces of the saved keys, such as `MyApp.`, with the number of keys in each. */
export function countNamespaces(rows: Row[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { saved } of rows) {
    const namespace = findNamespace(saved?.key ?? '')
    if (namespace) counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
  }
  return counts
}
