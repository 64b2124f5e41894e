import { type ReactNode, useEffect, useRef } from 'react'
import type { FieldValues } from 'react-hook-form'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { Card } from '../ui/Card.tsx'
import { CompareDialog } from '../ui/CompareDialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import type { RecordForm } from './record-form.ts'

interface RecordFormFrameProps<V extends FieldValues> {
  record: RecordForm<V>
  /** The name of the record, such as “this group”. */
  recordLabel: string
  /** The label of the submit button; `Save` by default. */
  action?: string
  /** A link that leaves a form that creates a record. Its bar is always shown. */
  cancel?: ReactNode
  children: ReactNode
}

/**
 * The form of a record around its fields: a bar to save or discard changes, ⌘S and Ctrl S, a prompt before changes are
 * lost, and the comparison of concurrent changes.
 */
export function RecordFormFrame<V extends FieldValues>(props: RecordFormFrameProps<V>) {
  const { record, recordLabel, action, cancel, children } = props
  return (
    <FormFrame record={record} recordLabel={recordLabel}>
      <DraftOffer draft={record.draft} />
      {children}
      {record.failure && <ErrorCard failure={record.failure} />}
      {(record.isDirty || record.isSaving || cancel) && (
        <SaveBar isSaving={record.isSaving} onDiscard={record.discard} {...(action && { action })} cancel={cancel} />
      )}
    </FormFrame>
  )
}

interface EditCardProps<V extends FieldValues> extends Omit<RecordFormFrameProps<V>, 'action' | 'cancel'> {
  title: string
  /** Whether a value cannot be saved for a reason that the form does not know. */
  isBlocked?: boolean
  /** Closes the card, after its changes are saved or discarded. */
  onClose: () => void
}

/** The form of an existing record as a card on its page: opened by Edit, with its buttons at its foot. */
export function EditCard<V extends FieldValues>(props: EditCardProps<V>) {
  const { record, recordLabel, title, isBlocked = false, onClose, children } = props
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => fields.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [])
  const cancel = () => {
    record.discard()
    onClose()
  }
  return (
    <FormFrame record={record} recordLabel={recordLabel}>
      <Card title={title}>
        <div ref={fields} className="grid gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
          <DraftOffer draft={record.draft} />
          {children}
          {record.failure && <ErrorCard failure={record.failure} />}
        </div>
        <SaveBar
          isSaving={record.isSaving}
          onDiscard={cancel}
          isBlocked={record.hasFieldErrors || isBlocked}
          inCard={{ isDirty: record.isDirty }}
        />
      </Card>
    </FormFrame>
  )
}

/** The form of a record without an offered draft and without a bar. */
export function FormFrame<V extends FieldValues>(
  props: Pick<RecordFormFrameProps<V>, 'record' | 'recordLabel' | 'children'>,
) {
  const { record, recordLabel, children } = props
  useSaveKey(record)
  return (
    <>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          record.submit()
        }}
      >
        {children}
      </form>
      <LeaveGuard hasChanges={record.hasChanges}>Your unsaved changes will be lost.</LeaveGuard>
      <CompareDialog
        isOpen={record.conflict !== undefined}
        recordLabel={recordLabel}
        differences={record.conflict?.differences ?? []}
        isBusy={record.isSaving}
        onSave={(choices) => record.conflict?.save(choices)}
        onClose={() => record.conflict?.close()}
      />
    </>
  )
}

function useSaveKey<V extends FieldValues>({ submit, isDirty }: Pick<RecordForm<V>, 'submit' | 'isDirty'>) {
  const latest = useRef(submit)
  latest.current = submit
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent) {
      const isSave = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 's'
      if (!isSave) return
      event.preventDefault()
      if (isDirty && !document.querySelector('dialog[open]')) latest.current()
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [isDirty])
}
