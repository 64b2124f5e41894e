import { type AuditRetention, getAuditRetention, putAuditRetention } from '@passport/contract/audit'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { useDraft } from '../app/drafts.ts'
import { reportSuccess } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { formatCount } from './days.ts'

const minDays = 365
const maxDays = 36_500

/** The retention period of audit events, with a dialog to change it. */
export function RetentionLine() {
  const { data } = useQuery(query(getAuditRetention, {}))
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {/* While it loads, it takes the space of the usual text. */}
      <p className={`mt-1 flex flex-wrap items-center gap-x-2 text-ink2 ${data ? '' : 'invisible'}`}>
        Events are kept for {formatCount(data?.days ?? minDays)} days
        <button type="button" className="link pointer-coarse:min-h-11" onClick={() => setOpen(true)}>
          Change retention
        </button>
      </p>
      {data && (
        <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Change retention">
          <RetentionForm key={data.days} retention={data} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  )
}

function RetentionForm({ retention, onClose }: { retention: AuditRetention; onClose: () => void }) {
  const { days } = retention
  const queries = useQueryClient()
  const [text, setText] = useState(String(days))
  const [error, setError] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const isChanged = text !== String(days)
  const draft = useDraft('retention', () => (isChanged ? text : undefined), setText)

  async function save() {
    const newDays = Number(text)
    if (!Number.isInteger(newDays) || newDays < minDays || newDays > maxDays)
      return setError(`Enter a whole number from ${minDays} to ${formatCount(maxDays)}.`)
    setError(undefined)
    setSaving(true)
    try {
      const saved = await call(putAuditRetention, { body: { ...retention, days: newDays } })
      queries.setQueryData(query(getAuditRetention, {}).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['/passport/admin/audit'] })
      reportSuccess('Saved')
      onClose()
    } catch (failure) {
      if (!(failure instanceof Cancelled)) setError(toFailure(failure).detail)
    } finally {
      setSaving(false)
    }
  }

  return (
    <form
      noValidate
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <DraftOffer draft={draft} />
      <Field
        label="Days"
        hint="Older events are deleted for ever. At least 365."
        inputMode="numeric"
        value={text}
        error={error}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={!isChanged} isBusy={isSaving}>
          Save
        </Button>
      </div>
    </form>
  )
}
