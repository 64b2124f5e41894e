import type { SignInCounts } from '@passport/contract/audit'
import { ListFilter } from 'lucide-react'
import { useId, useState } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { nameReason } from '../directory/failure-reasons.ts'
import { type Chip, ListChips } from '../directory/ListChips.tsx'
import { Button } from '../ui/Button.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Select } from '../ui/Select.tsx'
import { daysAgo } from './days.ts'
import { formatTimeRange, type SignInSearch, toSearchTime } from './sign-in-search.ts'

interface SignInFiltersProps {
  search: SignInSearch
  /** The counts have the values to choose from. */
  counts: SignInCounts | undefined
  onShow: (search: SignInSearch) => void
}

const results = [
  { value: '', label: 'All' },
  { value: 'succeeded', label: 'Succeeded' },
  { value: 'failed', label: 'Failed' },
]

const periods = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: '6', label: 'Last 7 days' },
  { value: '29', label: 'Last 30 days' },
]

/** The filters of the sign-in log, by what its sign-ins have; each active one has a chip. */
export function SignInFilters({ search, counts, onShow }: SignInFiltersProps) {
  const nameProvider = useProviderName()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const change = (changes: { [K in keyof SignInSearch]: SignInSearch[K] | undefined }) =>
    onShow(Object.fromEntries(Object.entries({ ...search, ...changes }).filter(([, value]) => value)) as SignInSearch)
  const names: Record<string, (value: string) => string> = {
    provider: nameProvider,
    client: (value) => counts?.clients.find((facet) => facet.value === value)?.name ?? value,
    reason: nameReason,
  }
  const select = (
    name: 'provider' | 'client' | 'reason',
    label: string,
    all: string,
    facets: SignInCounts['reasons'] = [],
  ) => {
    const chosen = search[name]
    const isMissing = chosen !== undefined && !facets.some(({ value }) => value === chosen)
    const toName = names[name] ?? String
    return (
      <div className="w-48 max-sm:w-full">
        <Select
          label={label}
          isLabelHidden
          value={chosen ?? ''}
          options={[
            { value: '', label: all },
            ...facets.map(({ value, count }) => ({ value, label: `${toName(value)} (${count.toLocaleString('en')})` })),
            ...(isMissing ? [{ value: chosen, label: toName(chosen) }] : []),
          ]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      </div>
    )
  }
  const chips: Chip[] = (
    [
      ['result', 'Result', search.result],
      ['provider', 'Provider', search.provider && nameProvider(search.provider)],
      ['client', 'Application', search.client && names['client']?.(search.client)],
      ['reason', 'Reason', search.reason && nameReason(search.reason)],
      ['actor', 'User', search.actor],
      ['from', 'Time', search.from || search.to ? formatTimeRange(search) : undefined],
    ] as const
  ).flatMap(([name, label, text]) =>
    text
      ? [
          {
            name,
            label,
            text,
            onClear: () => change(name === 'from' ? { from: undefined, to: undefined } : { [name]: undefined }),
          },
        ]
      : [],
  )
  return (
    <>
      <Button
        className="mt-3 w-full sm:hidden"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <ListFilter size={16} aria-hidden="true" />
        Filters
      </Button>
      <div id={id} className={`mt-3 flex flex-wrap items-center gap-2 ${isOpen ? '' : 'max-sm:hidden'}`}>
        <Segmented
          label="Result"
          value={search.result ?? ''}
          options={results}
          onChange={(result) => change({ result, ...(result === 'succeeded' && { reason: undefined }) })}
        />
        {select('provider', 'Provider', 'All providers', counts?.providers)}
        {select('client', 'Application', 'All applications', counts?.clients)}
        {search.result !== 'succeeded' && select('reason', 'Reason', 'All reasons', counts?.reasons)}
        <div className="w-40 max-sm:w-full">
          <Select
            label="Period"
            isLabelHidden
            value={findPeriod(search)}
            options={[
              ...periods,
              ...(findPeriod(search) === 'range' ? [{ value: 'range', label: 'Chosen range' }] : []),
            ]}
            onChange={({ target }) => target.value !== 'range' && change(toPeriod(target.value))}
          />
        </div>
      </div>
      {chips.length > 0 && <ListChips chips={chips} onClearAll={() => onShow({})} />}
    </>
  )
}

function findPeriod({ from, to }: SignInSearch): string {
  if (!from && !to) return ''
  return (!to && ['6', '29'].find((days) => from === daysAgo(Number(days)))) || 'range'
}

function toPeriod(value: string): { from: string | undefined; to: string | undefined } {
  const hours = { hour: 1, day: 24 }[value]
  if (hours) return { from: toSearchTime(new Date(Date.now() - hours * 3_600_000).toISOString()), to: undefined }
  return { from: value === '' ? undefined : daysAgo(Number(value)), to: undefined }
}
