import type { ResponseData } from '@passport/contract/endpoint'
import { listRelationshipHistory } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { isUnsupported } from '../permissions/unsupported.ts'
import { Field } from '../ui/Field.tsx'
import { formatRelative, lowerFirst } from '../ui/RelativeTime.tsx'
import { Select } from '../ui/Select.tsx'

interface RevisionPickerProps {
  /** The token of the revision; empty if none is picked. */
  value: string
  onChange: (token: string) => void
}

/** Picks an earlier revision: before a recent change, at a time, or by its token. */
export function RevisionPicker({ value, onChange }: RevisionPickerProps) {
  const history = useQuery({ ...query(listRelationshipHistory, { query: { limit: 100 } }), retry: false })
  const revisions = listEarlierRevisions(history.data?.items ?? [])
  const isListed = revisions.some(({ token }) => token === value)
  const [picked, setPicked] = useState<'time' | 'token' | undefined>(value === '' ? undefined : 'token')
  const hasNoHistory = isUnsupported(history.error)
  const mode = isListed ? value : (picked ?? (hasNoHistory ? 'token' : ''))
  return (
    <div className="grid gap-2">
      <Select
        label="Earlier revision"
        isLabelHidden
        value={mode}
        options={[
          { value: '', label: history.isPending ? 'Loading history…' : 'Before a change…' },
          ...revisions.map(({ token, at, change }) => ({
            value: token,
            label: `Before: ${change} (${lowerFirst(formatRelative(at))})`,
          })),
          ...(hasNoHistory ? [] : [{ value: 'time', label: 'At a time…' }]),
          { value: 'token', label: 'At a revision…' },
        ]}
        onChange={({ target }) => {
          const isMode = target.value === 'time' || target.value === 'token'
          setPicked(isMode ? (target.value as 'time' | 'token') : undefined)
          onChange(isMode ? '' : target.value)
        }}
      />
      {mode === 'time' && <TimeField onChange={onChange} />}
      {mode === 'token' && (
        <Field
          label="Revision"
          hint="Token of an earlier response"
          className="font-mono text-[13px]"
          value={value}
          onChange={({ target }) => onChange(target.value.trim())}
        />
      )}
    </div>
  )
}

function TimeField({ onChange }: { onChange: (token: string) => void }) {
  const [time, setTime] = useState('')
  const [error, setError] = useState<string>()
  const latestTime = useRef('')
  async function pick(time: string) {
    latestTime.current = time
    setTime(time)
    setError(undefined)
    onChange('')
    const instant = Date.parse(time)
    if (Number.isNaN(instant)) return
    const result = await findTokenAt(instant).catch((error: unknown) => new Error(toFailure(error).detail))
    // Another time was picked in the meantime.
    if (latestTime.current !== time) return
    if (typeof result === 'string') onChange(result)
    else setError(result?.message ?? 'The history does not go back that far.')
  }
  return (
    <Field
      label="Time"
      type="datetime-local"
      step={1}
      error={error}
      value={time}
      onChange={({ target }) => void pick(target.value)}
    />
  )
}

type Change = ResponseData<typeof listRelationshipHistory>['items'][number]

/** The revision before a change. */
export interface EarlierRevision {
  token: string
  /** The time of the change. */
  at: string
  /** “Added document:a#viewer@user:ada and 2 more”. */
  change: string
}

const operationWords = { added: 'Added', changed: 'Changed', removed: 'Deleted' }

/**
 * Returns the revisions before changes, from a history with the newest first. The revision before a commit is that of the
 * previous one; before the oldest commit of the history, it is unknown.
 */
export function listEarlierRevisions(changes: readonly Change[]): EarlierRevision[] {
  const commits = Map.groupBy(changes, ({ token }) => token)
  const all = [...commits.values()]
  return all.slice(0, -1).map(([first, ...otherChanges], index) => {
    const { operation, relationship } = first as Change
    const { resource, relation, subject } = relationship
    const text = `${operationWords[operation]} ${printRelationship({ resource, relation, subject })}`
    return {
      token: all[index + 1]?.[0]?.token ?? '',
      at: (first as Change).at,
      change: otherChanges.length > 0 ? `${text} and ${otherChanges.length.toLocaleString('en')} more` : text,
    }
  })
}

const pageSize = 1000
/** More pages would take too long. */
const maxPages = 20

/** Returns the token of the last change until an instant, in milliseconds; undefined if it is beyond the history. */
export async function findTokenAt(instant: number): Promise<string | undefined> {
  let cursor: string | null | undefined
  for (let page = 0; page < maxPages && cursor !== null; page++) {
    const query = { limit: pageSize, ...(cursor && { cursor }) }
    const history: ResponseData<typeof listRelationshipHistory> = await call(listRelationshipHistory, { query })
    const last = history.items.find(({ at }) => Date.parse(at) <= instant)
    if (last) return last.token
    cursor = history.cursor
  }
  return undefined
}
