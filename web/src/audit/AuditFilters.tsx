import { actions } from '@passport/contract/audit'
import { getProfile } from '@passport/contract/profile'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../app/api.ts'
import { searchPeople } from '../directory/find-records.ts'
import { ListChips } from '../directory/ListChips.tsx'
import { Field } from '../ui/Field.tsx'
import { Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import { type AuditSearch, parseAttempt } from './audit-search.ts'
import { capitalize } from './own-sentences.ts'

interface AuditFiltersProps {
  search: AuditSearch
  onShow: (search: AuditSearch) => void
}

const subjects = [...Map.groupBy(actions, (action) => action.split('.')[0] ?? '').entries()]
const actionOptions = [
  { value: '', label: 'All events' },
  ...subjects.flatMap(([subject, subjectActions]) => [
    ...(subjectActions.length > 1
      ? [{ value: `${subject}.`, label: `All ${subject.replaceAll('-', ' ')} events` }]
      : []),
    ...subjectActions.map((action) => ({
      value: action as string,
      label: capitalize(action.replace('.', ': ').replaceAll('-', ' ')),
    })),
  ]),
]

/** The filters of the audit; each active one has a chip. */
export function AuditFilters({ search, onShow }: AuditFiltersProps) {
  const change = (changes: { [K in keyof AuditSearch]: AuditSearch[K] | undefined }) =>
    onShow(Object.fromEntries(Object.entries({ ...search, ...changes }).filter(([, value]) => value)) as AuditSearch)
  const chips = (Object.keys(labels) as (keyof AuditSearch)[]).flatMap((name) => {
    const text = formatFilterValue(name, search[name])
    return text === undefined ? [] : [{ name, label: labels[name], text, onClear: () => change({ [name]: undefined }) }]
  })
  return (
    <>
      <div className="mt-5 grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_320px_1fr]">
        <Select
          label="Event"
          options={actionOptions}
          value={search.action ?? ''}
          onChange={({ target }) => change({ action: target.value })}
        />
        <ActorFilter actor={search.actor} onPick={(actor) => change({ actor })} />
        <div className="grid grid-cols-2 gap-2">
          <Field
            label="From"
            type="date"
            value={search.from ?? ''}
            onChange={({ target }) => change({ from: target.value })}
          />
          <Field
            label="To"
            type="date"
            value={search.to ?? ''}
            onChange={({ target }) => change({ to: target.value })}
          />
        </div>
        <AttemptFilter key={search.supportCode ?? search.traceId} search={search} onShow={change} />
      </div>
      {chips.length > 0 && <ListChips chips={chips} onClearAll={() => onShow({})} />}
    </>
  )
}

/** The filter by actor. */
function ActorFilter({ actor, onPick }: { actor: string | undefined; onPick: (actor: string | undefined) => void }) {
  const { data } = useQuery({
    ...query(getProfile, { params: { profileId: actor ?? '' } }),
    enabled: !!actor,
    retry: false,
  })
  const picked = actor ? [{ id: actor, name: data?.displayname ?? data?.username ?? actor }] : []
  return (
    <Picker
      label="Actor"
      placeholder="Any actor"
      search={searchPeople}
      picked={picked}
      onPick={(all) => onPick(all.at(-1)?.id)}
    />
  )
}

interface AttemptFilterProps {
  search: AuditSearch
  onShow: (attempt: Pick<AuditSearch, 'traceId' | 'supportCode'>) => void
}

/** The filter by a support code or trace id, as shown on error pages. */
function AttemptFilter({ search, onShow }: AttemptFilterProps) {
  const [text, setText] = useState(search.supportCode ?? search.traceId ?? '')
  const [error, setError] = useState<string>()
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const attempt = parseAttempt(text)
        if (!attempt && text.trim() !== '') return setError('Enter a support code such as 4BF9-2F35, or a trace ID.')
        setError(undefined)
        onShow({ traceId: undefined, supportCode: undefined, ...attempt } as never)
      }}
    >
      <Field
        label="Support code or trace ID"
        placeholder="4BF9-2F35"
        spellCheck={false}
        autoComplete="off"
        className="font-mono"
        value={text}
        error={error}
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit" className="sr-only">
        Search
      </button>
    </form>
  )
}

const labels: Record<keyof AuditSearch, string> = {
  action: 'Event',
  actor: 'Actor',
  target: 'Target',
  role: 'Role',
  from: 'From',
  to: 'To',
  supportCode: 'Support code',
  traceId: 'Trace ID',
}

const formatFilterValue = (name: keyof AuditSearch, value: string | undefined) =>
  name === 'action' ? (actionOptions.find((option) => option.value === value)?.label ?? value) : value
