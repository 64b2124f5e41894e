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
import { type AuditSearch, attemptOf } from './audit-search.ts'
import { asStart } from './own-sentences.ts'

interface AuditFiltersProps {
  search: AuditSearch
  onShow: (search: AuditSearch) => void
}

const subjects = [...Map.groupBy(actions, (action) => action.split('.')[0] ?? '').entries()]
const actionOptions = [
  { value: '', label: 'Anything' },
  ...subjects.flatMap(([subject, named]) => [
    ...(named.length > 1
      ? [{ value: `${subject}.`, label: asStart(`${subject.replaceAll('-', ' ')}: anything`) }]
      : []),
    ...named.map((action) => ({
      value: action as string,
      label: asStart(action.replace('.', ': ').replaceAll('-', ' ')),
    })),
  ]),
]

/** Narrows the audit; each filter that is on has a chip. */
export function AuditFilters({ search, onShow }: AuditFiltersProps) {
  const change = (by: { [K in keyof AuditSearch]: AuditSearch[K] | undefined }) =>
    onShow(Object.fromEntries(Object.entries({ ...search, ...by }).filter(([, value]) => value)) as AuditSearch)
  const chips = (Object.keys(names) as (keyof AuditSearch)[]).flatMap((name) => {
    const text = shownAs(name, search[name])
    return text === undefined ? [] : [{ name, label: names[name], text, onClear: () => change({ [name]: undefined }) }]
  })
  return (
    <>
      <div className="mt-5 grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_320px_1fr]">
        <Select
          label="What"
          options={actionOptions}
          value={search.action ?? ''}
          onChange={({ target }) => change({ action: target.value })}
        />
        <Who actor={search.actor} onPick={(actor) => change({ actor })} />
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
        <Attempt key={search.supportCode ?? search.traceId} search={search} onShow={change} />
      </div>
      {chips.length > 0 && <ListChips chips={chips} onClearAll={() => onShow({})} />}
    </>
  )
}

/** The person who did it. */
function Who({ actor, onPick }: { actor: string | undefined; onPick: (actor: string | undefined) => void }) {
  const { data } = useQuery({
    ...query(getProfile, { params: { profileId: actor ?? '' } }),
    enabled: !!actor,
    retry: false,
  })
  const picked = actor ? [{ id: actor, name: data?.displayname ?? data?.username ?? actor }] : []
  return (
    <Picker
      label="Who"
      placeholder="Anyone"
      search={searchPeople}
      picked={picked}
      onPick={(all) => onPick(all.at(-1)?.id)}
    />
  )
}

interface AttemptProps {
  search: AuditSearch
  onShow: (attempt: Pick<AuditSearch, 'traceId' | 'supportCode'>) => void
}

/** What a person reads out from a page that told of a failure. */
function Attempt({ search, onShow }: AttemptProps) {
  const [text, setText] = useState(search.supportCode ?? search.traceId ?? '')
  const [error, setError] = useState<string>()
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const attempt = attemptOf(text)
        if (!attempt && text.trim() !== '') return setError('A support code looks like 4BF9-2F35.')
        setError(undefined)
        onShow({ traceId: undefined, supportCode: undefined, ...attempt } as never)
      }}
    >
      <Field
        label="Support code or trace"
        placeholder="4BF9-2F35"
        spellCheck={false}
        autoComplete="off"
        className="font-mono"
        value={text}
        error={error}
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit" className="sr-only">
        Find the attempt
      </button>
    </form>
  )
}

const names: Record<keyof AuditSearch, string> = {
  action: 'What',
  actor: 'Who',
  target: 'Done to',
  role: 'Role',
  from: 'From',
  to: 'To',
  supportCode: 'Support code',
  traceId: 'Trace',
}

const shownAs = (name: keyof AuditSearch, value: string | undefined) =>
  name === 'action' ? (actionOptions.find((option) => option.value === value)?.label ?? value) : value
