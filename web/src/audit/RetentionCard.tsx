import { getAuditRetention, putAuditRetention } from '@passport/contract/audit'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { useDraft } from '../app/drafts.ts'
import { reportSuccess } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

const minDays = 365
const maxDays = 36_500

/** Shows and edits the retention period of audit events. */
export function RetentionCard() {
  const { data, error, refetch } = useQuery(query(getAuditRetention, {}))
  return (
    <Card title="Retention" description="Events older than this are deleted. Minimum 365 days.">
      {error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
        </div>
      )}
      {!data && !error && <Skeleton label="Loading retention" rows={1} rowClass="h-15" />}
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
  const draft = useDraft('retention', () => (isChanged ? text : undefined), setText)

  async function save() {
    const newDays = Number(text)
    if (!Number.isInteger(newDays) || newDays < minDays || newDays > maxDays)
      return setError(`Enter a whole number from ${minDays} to ${maxDays}.`)
    setError(undefined)
    setSaving(true)
    try {
      const saved = await call(putAuditRetention, { body: { days: newDays } })
      queries.setQueryData(query(getAuditRetention, {}).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['/passport/admin/audit'] })
      reportSuccess('Saved')
    } catch (failure) {
      if (!(failure instanceof Cancelled)) setError(toFailure(failure).detail)
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
      <DraftOffer draft={draft} />
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
