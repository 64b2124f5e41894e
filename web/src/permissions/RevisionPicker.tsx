import { ApiError } from '@passport/contract/call'
import { listRelationshipHistory } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { Field } from '../ui/Field.tsx'
import { formatRelative } from '../ui/RelativeTime.tsx'
import { Select } from '../ui/Select.tsx'
import { findTokenAt, listEarlierRevisions } from './earlier-revisions.ts'

interface RevisionPickerProps {
  /** The token of a revision; empty if none is picked. */
  value: string
  onChange: (token: string) => void
}

/** Picks an earlier moment: before a recent change, at a time, or at a revision by its token. */
export function RevisionPicker({ value, onChange }: RevisionPickerProps) {
  const history = useQuery({ ...query(listRelationshipHistory, { query: { limit: 100 } }), retry: false })
  const revisions = listEarlierRevisions(history.data?.items ?? [])
  const isListed = revisions.some(({ token }) => token === value)
  const [picked, setPicked] = useState<'time' | 'token' | undefined>(value === '' ? undefined : 'token')
  const hasNoHistory = history.error instanceof ApiError && history.error.status === 501
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
            label: `Before: ${change} (${formatRelative(at)})`,
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
          hint="Token of an earlier answer or write"
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
