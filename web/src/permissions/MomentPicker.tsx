import { ApiError } from '@passport/contract/call'
import { listRelationshipHistory } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { failureOf, query } from '../app/api.ts'
import { Field } from '../ui/Field.tsx'
import { fromNow } from '../ui/Moment.tsx'
import { Select } from '../ui/Select.tsx'
import { momentsBefore, tokenAt } from './moments.ts'

interface MomentPickerProps {
  /** The token of a revision; empty while none is picked. */
  value: string
  onChange: (token: string) => void
}

/** Asks for an earlier moment: before one of the last changes, at a time, or at a revision that is known by its token. */
export function MomentPicker({ value, onChange }: MomentPickerProps) {
  const history = useQuery({ ...query(listRelationshipHistory, { query: { limit: 100 } }), retry: false })
  const moments = momentsBefore(history.data?.items ?? [])
  const isListed = moments.some(({ token }) => token === value)
  const [picked, setPicked] = useState<'time' | 'token' | undefined>(value === '' ? undefined : 'token')
  const hasNone = history.error instanceof ApiError && history.error.status === 501
  const way = isListed ? value : (picked ?? (hasNone ? 'token' : ''))
  return (
    <div className="grid gap-2">
      <Select
        label="Earlier moment"
        isLabelHidden
        value={way}
        options={[
          { value: '', label: history.isPending ? 'Reading the history …' : 'how it was before …' },
          ...moments.map(({ token, at, change }) => ({ value: token, label: `before: ${change} (${fromNow(at)})` })),
          ...(hasNone ? [] : [{ value: 'time', label: 'how it was at a time …' }]),
          { value: 'token', label: 'how it was at a revision …' },
        ]}
        onChange={({ target }) => {
          const isWay = target.value === 'time' || target.value === 'token'
          setPicked(isWay ? (target.value as 'time' | 'token') : undefined)
          onChange(isWay ? '' : target.value)
        }}
      />
      {way === 'time' && <TimeField onChange={onChange} />}
      {way === 'token' && (
        <Field
          label="Revision"
          hint="The token of an earlier answer or write."
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
  const newest = useRef('')
  async function pick(time: string) {
    newest.current = time
    setTime(time)
    setError(undefined)
    onChange('')
    const moment = Date.parse(time)
    if (Number.isNaN(moment)) return
    const found = await tokenAt(moment).catch((error: unknown) => new Error(failureOf(error).detail))
    // Another time was picked meanwhile.
    if (newest.current !== time) return
    if (typeof found === 'string') onChange(found)
    else setError(found?.message ?? 'The history does not go back so far.')
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
