import { type AuditEntry, actions } from '@passport/contract/audit'
import { getProfile } from '@passport/contract/profile'
import { searchRecords } from '@passport/contract/search'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ListFilter } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { call, query } from '../app/api.ts'
import { searchUsers } from '../directory/find-records.ts'
import { type Chip, ListChips } from '../directory/ListChips.tsx'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { Field } from '../ui/Field.tsx'
import { Panel } from '../ui/Panel.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import { type AuditSearch, parseAttempt } from './audit-search.ts'
import { daysAgo, formatPeriod, parseDay } from './days.ts'

interface AuditFiltersProps {
  search: AuditSearch
  /** The shown entries, which have the names of the filtered records. */
  entries: AuditEntry[] | undefined
  onShow: (search: AuditSearch) => void
}

/** Words of action names for which the console has other words. */
const words: Record<string, string> = {
  signin: 'sign-in',
  signout: 'sign-out',
  org: 'organisation',
  granted: 'added',
  taken: 'removed',
  refused: 'denied',
  stopped: 'revoked',
  client: 'application',
  'import-taken-back': 'import undone',
}
const formatWord = (word: string) => words[word] ?? word.replaceAll('-', ' ')
const formatAction = (action: string) => capitalize(action.split('.').map(formatWord).join(': '))

const subjects = [...Map.groupBy(actions, (action) => action.split('.')[0] ?? '').entries()]
const actionOptions = [
  { value: '', label: 'All events' },
  ...subjects.flatMap(([subject, subjectActions]) => [
    ...(subjectActions.length > 1 ? [{ value: `${subject}.`, label: `All ${formatWord(subject)} events` }] : []),
    ...subjectActions.map((action) => ({
      value: action as string,
      label: formatAction(action),
    })),
  ]),
]

/** The filters of the audit log; each active one has a chip. */
export function AuditFilters({ search, entries, onShow }: AuditFiltersProps) {
  const change = (changes: { [K in keyof AuditSearch]: AuditSearch[K] | undefined }) =>
    onShow(Object.fromEntries(Object.entries({ ...search, ...changes }).filter(([, value]) => value)) as AuditSearch)
  const nameOf = useNames(search, entries)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button className="w-full sm:hidden" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <ListFilter size={16} aria-hidden="true" />
        Filters
      </Button>
      <div id={id} className={`flex max-sm:mt-2 flex-wrap items-start gap-2 ${isOpen ? '' : 'max-sm:hidden'}`}>
        <div className="w-60 max-sm:w-full">
          <Select
            label="Event"
            isLabelHidden
            options={actionOptions}
            value={search.action ?? ''}
            onChange={({ target }) => change({ action: target.value })}
          />
        </div>
        <RecordFilter
          label="Actor"
          placeholder="Name, username or email"
          search={searchUsers}
          onPick={({ id }) => change({ actor: id })}
        />
        <RecordFilter
          label="Target"
          placeholder="User, group, organisation or role"
          search={searchTargets}
          onPick={({ id, kind }) =>
            change(kind === 'role' ? { role: id, target: undefined } : { target: `${kind}:${id}`, role: undefined })
          }
        />
        <DateFilter key={`${search.from} ${search.to}`} search={search} onPick={change} />
        <Check
          className="min-h-9! px-1"
          checked={search.settings === 'shown'}
          onChange={({ target }) => change({ settings: target.checked ? 'shown' : undefined })}
        >
          Console settings
        </Check>
        <div className="ml-auto w-64 max-sm:w-full">
          <AttemptFilter key={search.supportCode ?? search.traceId} search={search} onShow={change} />
        </div>
      </div>
      <Chips search={search} nameOf={nameOf} onChange={change} onClearAll={() => onShow({})} />
    </>
  )
}

const panelClass = 'btn gap-1.5 font-[400]'

interface RecordFilterProps {
  label: string
  placeholder: string
  search: (text: string, signal: AbortSignal) => Promise<Pickable[]>
  onPick: (record: Pickable) => void
}

/** A filter by a record, in a panel that loads its picker when it is opened. */
function RecordFilter({ label, placeholder, search, onPick }: RecordFilterProps) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <Panel
      label={`Filter by ${label.toLowerCase()}`}
      className={panelClass}
      trigger={<Trigger>{label}</Trigger>}
      onOpen={() => setOpened(true)}
    >
      <div className="min-h-72 w-72 max-w-full">
        {wasOpened && (
          <Picker
            label={label}
            placeholder={placeholder}
            search={search}
            picked={[]}
            onPick={([picked]) => {
              closePanel()
              if (picked) onPick(picked)
            }}
          />
        )}
      </div>
    </Panel>
  )
}

const Trigger = ({ children }: { children: ReactNode }) => (
  <>
    {children}
    <ChevronDown size={14} aria-hidden="true" className="text-ink3" />
  </>
)

/** Closes the open panel, the only popover that contains the focus. */
const closePanel = () => document.activeElement?.closest<HTMLElement>('[popover]')?.hidePopover()

async function searchTargets(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const found = await call(searchRecords, { query: { query: text.slice(0, 100) } }, { signal })
  return found.map(({ kind, id, name, detail }) => ({ id, name, kind, detail: detail ?? undefined }))
}

const ranges = [
  ['Today', 0],
  ['Last 7 days', 6],
  ['Last 30 days', 29],
  ['Last 90 days', 89],
] as const

interface DateFilterProps {
  search: AuditSearch
  onPick: (days: Pick<AuditSearch, 'from' | 'to'> | { from: undefined; to: undefined }) => void
}

/** The filter by date: a common range, or two typed dates. Month-first formats such as 11/21/2026 are rejected. */
function DateFilter({ search, onPick }: DateFilterProps) {
  const [texts, setTexts] = useState({ from: search.from ?? '', to: search.to ?? '' })
  const [errors, setErrors] = useState<{ from?: string; to?: string }>({})
  const pick = (from: string | undefined, to: string | undefined) => {
    closePanel()
    onPick({ from, to } as never)
  }

  function apply() {
    const [from, to] = [parseDay(texts.from), parseDay(texts.to)]
    const faults = {
      ...(texts.from.trim() && !from && { from: invalidDay }),
      ...(texts.to.trim() && !to && { to: invalidDay }),
      ...(from && to && from > to && { to: 'Must not be before the first day.' }),
    }
    setErrors(faults)
    if (Object.keys(faults).length === 0) pick(from, to)
  }

  const field = (name: 'from' | 'to') => ({
    value: texts[name],
    error: errors[name],
    placeholder: name === 'from' ? daysAgo(29) : daysAgo(0),
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ target }: { target: { value: string } }) => setTexts({ ...texts, [name]: target.value }),
  })
  return (
    <Panel label="Filter by date" className={panelClass} trigger={<Trigger>Date</Trigger>}>
      <div className="w-72 max-w-full">
        <div className="grid grid-cols-2 gap-2">
          {ranges.map(([label, days]) => (
            <Button key={label} isSmall onClick={() => pick(daysAgo(days), undefined)}>
              {label}
            </Button>
          ))}
        </div>
        <form
          noValidate
          className="mt-3 grid gap-3 border-t border-line pt-3"
          onSubmit={(event) => {
            event.preventDefault()
            apply()
          }}
        >
          <div className="grid grid-cols-2 gap-2">
            <Field label="From" {...field('from')} />
            <Field label="To" {...field('to')} />
          </div>
          <Button type="submit" variant="primary" isSmall>
            Apply
          </Button>
        </form>
      </div>
    </Panel>
  )
}

const invalidDay = 'Enter a day such as 2026-11-21.'

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
        isLabelHidden
        placeholder="Support code or trace ID"
        spellCheck={false}
        autoComplete="off"
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

interface ChipsProps extends Pick<AuditFiltersProps, 'search'> {
  nameOf: (id: string) => string
  onChange: (changes: { [K in keyof AuditSearch]: undefined }) => void
  onClearAll: () => void
}

function Chips({ search, nameOf, onChange, onClearAll }: ChipsProps) {
  const { action, actor, target, role, from, to, supportCode, traceId, settings } = search
  const texts: [name: string, text: string | undefined, cleared: { [K in keyof AuditSearch]: undefined }][] = [
    [
      'Event',
      action && (actionOptions.find((option) => option.value === action)?.label ?? action),
      { action: undefined },
    ],
    ['Actor', actor && nameOf(actor), { actor: undefined }],
    ['Target', target && nameOf(target.slice(target.indexOf(':') + 1)), { target: undefined }],
    ['Role', role, { role: undefined }],
    ['Date', from || to ? formatPeriod(from, to) : undefined, { from: undefined, to: undefined }],
    ['Support code', supportCode, { supportCode: undefined }],
    ['Trace ID', traceId, { traceId: undefined }],
    ['Console settings', settings, { settings: undefined }],
  ]
  const chips = texts.flatMap(([label, text, cleared]): Chip[] =>
    text ? [{ name: label, label, text: capitalize(text), onClear: () => onChange(cleared) }] : [],
  )
  return chips.length > 0 && <ListChips chips={chips} onClearAll={onClearAll} />
}

/** Returns the display names of the filtered records; those in the events need no further request. */
function useNames({ actor, target }: AuditSearch, entries: AuditEntry[] | undefined): (id: string) => string {
  const userId = target?.startsWith('user:') ? target.slice('user:'.length) : undefined
  const unknownId = [actor, userId].find((id) => id && findName(entries, id) === undefined)
  const { data } = useQuery({
    ...query(getProfile, { params: { profileId: unknownId ?? '' } }),
    enabled: entries !== undefined && unknownId !== undefined,
    retry: false,
  })
  return (id) => findName(entries, id) ?? (data?.profileId === id ? (data.displayname ?? data.username) : null) ?? id
}

/** Returns the name of a record, if one of the events has it. */
function findName(entries: AuditEntry[] | undefined, id: string): string | undefined {
  for (const { actor, target, names } of entries ?? []) {
    if (actor?.id === id) return actor.name
    if (target.id === id && target.name !== null) return target.name
    if (names[id]) return names[id]
  }
  return undefined
}
