import type { Preference } from '@passport/contract/preferences'
import { DeletedPreferences } from '../directory/PreferenceHistory.tsx'
import { ImportExport } from './ImportExport.tsx'
import type { Row } from './rows.ts'

interface ManagePreferencesProps {
  rows: Row[]
  namespace: string
  /** Saves an imported preference; rejects on failure. */
  onImported: (preference: Preference) => Promise<void>
  onRestore: (preference: Preference) => Promise<void>
}

/** Import and export, and the deleted preferences that can be restored. */
export function ManagePreferences({ rows, namespace, onImported, onRestore }: ManagePreferencesProps) {
  return (
    <DeletedPreferences
      userId="me"
      saved={rows.flatMap((row) => row.saved?.key ?? [])}
      namespace={namespace}
      action={
        <div className="flex gap-2">
          <ImportExport rows={rows} onImported={onImported} />
        </div>
      }
      onRestore={onRestore}
    />
  )
}

interface NamespaceFilterProps {
  /** The number of keys in each namespace. */
  namespaces: Map<string, number>
  namespace: string
  onChange: (namespace: string) => void
}

/** A choice of the keys of one app, such as `MyApp.`. */
export function NamespaceFilter({ namespaces, namespace, onChange }: NamespaceFilterProps) {
  const names = [
    ...new Map([...namespaces, ...(namespace ? [[namespace, namespaces.get(namespace) ?? 0] as const] : [])]),
  ]
  return (
    <select
      aria-label="Namespace"
      className="ctl ctl-select w-auto max-w-52"
      value={namespace}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">All namespaces</option>
      {names.toSorted().map(([name, count]) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </select>
  )
}
