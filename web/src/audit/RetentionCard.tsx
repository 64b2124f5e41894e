import { getAuditRetention, putAuditRetention } from '@passport/contract/audit'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { toast } from '../ui/toast.ts'

const shortest = 365
const longest = 36_500

/** For how long events are kept. */
export function RetentionCard() {
  const { data, error, refetch } = useQuery(query(getAuditRetention, {}))
  return (
    <Card title="Retention" about="Events are removed once they are older than this; a year is the least.">
      {error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failureOf(error)} onRetry={() => void refetch()} />
        </div>
      )}
      {!data && !error && <Skeleton label="Loading the retention" rows={1} rowClass="h-15" />}
      {data && <RetentionForm key={data.days} days={data.days} />}
    </Card>
  )
}

function RetentionForm({ days }: { days: number }) {
  const queries = useQueryClient()
  const [text, setText] = useState(String(days))
  const [error, setError] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const isChanged = text !== String(days)

  async function save() {
    const wanted = Number(text)
    if (!Number.isInteger(wanted) || wanted < shortest || wanted > longest)
      return setError(`Must be a whole number from ${shortest} to ${longest}.`)
    setError(undefined)
    setSaving(true)
    try {
      const saved = await call(putAuditRetention, { body: { days: wanted } })
      queries.setQueryData(query(getAuditRetention, {}).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['/passport/admin/audit'] })
      void toast({ type: 'success', content: `Events are kept for ${saved.days} days` })
    } catch (failure) {
      setError(failureOf(failure).detail)
    } finally {
      setSaving(false)
    }
  }

  return (
    <form
      noValidate
      className="flex flex-wrap items-start gap-3 px-5 pb-5"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div className="w-44">
        <Field
          label="Days"
          inputMode="numeric"
          value={text}
          error={error}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <Button type="submit" className="mt-[27px]" disabled={!isChanged} isBusy={isSaving}>
        Save
      </Button>
    </form>
  )
}
