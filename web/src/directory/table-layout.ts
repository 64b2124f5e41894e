import { listPreferences, putPreference } from '@passport/contract/preferences'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { loadChoice, storeChoice } from '../app/stored-choice.ts'

/** The visible columns of a table, in order, and its row density. */
export interface TableLayout {
  /** Undefined for the default columns. */
  columns?: string[]
  density: 'comfortable' | 'compact'
}

const preferenceKey = (name: string) => `Passport.Table.${name}`
const browserKey = (name: string) => `passport.table.${name}`

const savedLayouts = queryOptions({
  queryKey: ['table-layouts'],
  queryFn: async ({ signal }): Promise<Record<string, string>> => {
    const query = { prefix: preferenceKey('') }
    const saved = await call(listPreferences, { params: { userId: 'me' }, query }, { signal })
    return Object.fromEntries(saved.map(({ key, value }) => [key, value]))
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/**
 * The user's layout of the table `name`. It is saved as the preference `Passport.Table.<name>` for all browsers, and
 * cached in this browser so that the table does not change after loading.
 */
export function useTableLayout(name: string): [TableLayout, (layout: TableLayout) => void] {
  const { data } = useQuery(savedLayouts)
  const saved = data?.[preferenceKey(name)]
  const layout = parseLayout(saved ?? loadChoice(browserKey(name)))

  function save(newLayout: TableLayout) {
    const value = JSON.stringify(newLayout)
    storeChoice(browserKey(name), value)
    queryClient.setQueryData(savedLayouts.queryKey, (all) => ({ ...all, [preferenceKey(name)]: value }))
    // If saving fails, the layout remains in this browser.
    void call(putPreference, { params: { userId: 'me', key: preferenceKey(name) }, body: value }).catch(() => {})
  }
  return [layout, save]
}

/** Parses a layout; returns the default for invalid text. */
function parseLayout(text: string | null | undefined): TableLayout {
  try {
    const { columns, density } = JSON.parse(text ?? '{}') as Partial<TableLayout>
    const hasValidColumns = Array.isArray(columns) && columns.every((column) => typeof column === 'string')
    return { ...(hasValidColumns && { columns }), density: density === 'compact' ? 'compact' : 'comfortable' }
  } catch {
    return { density: 'comfortable' }
  }
}
