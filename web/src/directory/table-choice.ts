import { listPreferences, putPreference } from '@passport/contract/preferences'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { remember, remembered } from '../app/remembered.ts'

/** How someone wants a table: which columns, in their order in the table, and how close the rows. */
export interface TableChoice {
  /** Absent where they have not chosen: then those that are shown by default. */
  columns?: string[]
  density: 'comfortable' | 'compact'
}

const preferenceOf = (name: string) => `Passport.Table.${name}`
const browserKey = (name: string) => `passport.table.${name}`

const savedChoices = queryOptions({
  queryKey: ['table-choices'],
  queryFn: async ({ signal }): Promise<Record<string, string>> => {
    const all = await call(listPreferences, { params: { userId: 'me' } }, { signal })
    const ours = all.filter(({ key }) => key.startsWith(preferenceOf('')))
    return Object.fromEntries(ours.map(({ key, value }) => [key, value]))
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/**
 * How a person wants the table `name`: kept as their preference `Passport.Table.<name>`, so that it is the same in every
 * browser, and in this browser, so that the table need not change under their eyes.
 */
export function useTableChoice(name: string): [TableChoice, (choice: TableChoice) => void] {
  const { data } = useQuery(savedChoices)
  const saved = data?.[preferenceOf(name)]
  const choice = readChoice(saved ?? remembered(browserKey(name)))

  function save(choice: TableChoice) {
    const value = JSON.stringify(choice)
    remember(browserKey(name), value)
    queryClient.setQueryData(savedChoices.queryKey, (all) => ({ ...all, [preferenceOf(name)]: value }))
    // Where it cannot be saved it holds in this browser.
    void call(putPreference, { params: { userId: 'me', key: preferenceOf(name) }, body: value }).catch(() => {})
  }
  return [choice, save]
}

/** Reads a choice; whatever is none stands for the default. */
function readChoice(text: string | null | undefined): TableChoice {
  try {
    const { columns, density } = JSON.parse(text ?? '{}') as Partial<TableChoice>
    const areColumns = Array.isArray(columns) && columns.every((column) => typeof column === 'string')
    return { ...(areColumns && { columns }), density: density === 'compact' ? 'compact' : 'comfortable' }
  } catch {
    return { density: 'comfortable' }
  }
}
