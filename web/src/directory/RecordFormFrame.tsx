import { type ReactNode, useEffect, useRef } from 'react'
import type { FieldValues } from 'react-hook-form'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { CompareDialog } from '../ui/CompareDialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import type { RecordForm } from './record-form.ts'

interface RecordFormFrameProps<V extends FieldValues> {
  record: RecordForm<V>
  /** What is edited, such as “this group”. */
  what: string
  /** Names what is saved; `Save` unless told. */
  action?: string
  /** The bar is there from the start, as where something is created. */
  isAlwaysReady?: boolean
  children: ReactNode
}

/**
 * The form of a record around its fields: bar to save or discard once something is changed, ⌘S and Ctrl S, a question
 * before changes are lost, and the comparison where someone else changed it too.
 */
export function RecordFormFrame<V extends FieldValues>(props: RecordFormFrameProps<V>) {
  const { record, what, action, isAlwaysReady = false, children } = props
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
        {record.failure && <ErrorCard failure={record.failure} />}
        {(record.isDirty || record.isSaving || isAlwaysReady) && (
          <SaveBar
            isSaving={record.isSaving}
            onDiscard={record.discard}
            {...(action && { action })}
            {...(isAlwaysReady && !record.isDirty && { isUntouched: true })}
          />
        )}
      </form>
      <LeaveGuard hasChanges={record.hasChanges}>What you changed here is not saved and will be lost.</LeaveGuard>
      <CompareDialog
        isOpen={record.conflict !== undefined}
        what={what}
        differences={record.conflict?.differences ?? []}
        isBusy={record.isSaving}
        onSave={(choices) => record.conflict?.save(choices)}
        onClose={() => record.conflict?.close()}
      />
    </>
  )
}

function useSaveKey({ submit, isDirty }: Pick<RecordForm<FieldValues>, 'submit' | 'isDirty'>) {
  const latest = useRef(submit)
  latest.current = submit
  useEffect(() => {
    function press(event: KeyboardEvent) {
      const isSave = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 's'
      if (!isSave) return
      event.preventDefault()
      if (isDirty && !document.querySelector('dialog[open]')) latest.current()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isDirty])
}
