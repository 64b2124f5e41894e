import { listPreferences, putPreference } from '@passport/contract/preferences'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { loadChoice, storeChoice } from '../app/stored-choice.ts'

/** The layout of a table: the visible columns in their order, and the row density. */
export interface TableChoice {
  /** Undefined for the default columns. */
  columns?: string[]
  density: 'comfortable' | 'compact'
}

const preferenceKey = (name: string) => `Passport.Table.${name}`
const browserKey = (name: string) => `passport.table.${name}`

const savedChoices = queryOptions({
  queryKey: ['table-choices'],
  queryFn: async ({ signal }): Promise<Record<string, string>> => {
    const all = await call(listPreferences, { params: { userId: 'me' } }, { signal })
    const tablePreferences = all.filter(({ key }) => key.startsWith(preferenceKey('')))
    return Object.fromEntries(tablePreferences.map(({ key, value }) => [key, value]))
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/**
 * The user's layout of the table `name`. It is saved as the preference `Passport.Table.<name>` for all browsers, and
 * cached in this browser to avoid a visible change after loading.
 */
export function useTableChoice(name: string): [TableChoice, (choice: TableChoice) => void] {
  const { data } = useQuery(savedChoices)
  const saved = data?.[preferenceKey(name)]
  const choice = readChoice(saved ?? loadChoice(browserKey(name)))

  function save(choice: TableChoice) {
    const value = JSON.stringify(choice)
    storeChoice(browserKey(name), value)
    queryClient.setQueryData(savedChoices.queryKey, (all) => ({ ...all, [preferenceKey(name)]: value }))
    // If saving fails, the choice remains in this browser.
    void call(putPreference, { params: { userId: 'me', key: preferenceKey(name) }, body: value }).catch(() => {})
  }
  return [choice, save]
}

/** Parses a choice; an invalid one is the default. */
function readChoice(text: string | null | undefined): TableChoice {
  try {
    const { columns, density } = JSON.parse(text ?? '{}') as Partial<TableChoice>
    const areColumns = Array.isArray(columns) && columns.every((column) => typeof column === 'string')
    return { ...(areColumns && { columns }), density: density === 'compact' ? 'compact' : 'comfortable' }
  } catch {
    return { density: 'comfortable' }
  }
}
