import type { ReactNode } from 'react'
import { Button } from './Button.tsx'

interface SaveBarProps {
  isSaving: boolean
  /** The label of the submit button. */
  action?: string
  onDiscard: () => void
  /** Leaves a form that creates a record; in place of Discard. */
  cancel?: ReactNode
}

/** The footer of a form: its buttons submit the form, or discard the changes. */
export function SaveBar({ isSaving, action = 'Save', onDiscard, cancel }: SaveBarProps) {
  return (
    <section
      aria-label={cancel ? action : 'Unsaved changes'}
      className="sticky bottom-3 z-10 flex flex-wrap items-center justify-end gap-2 card p-2 pl-4 shadow-pop"
    >
      {cancel ?? (
        <>
          <span className="mr-auto inline-flex items-center gap-2">
            <span className="size-2 rounded-full bg-warn" />
            Unsaved changes
          </span>
          <Button onClick={onDiscard} disabled={isSaving}>
            Discard
          </Button>
        </>
      )}
      <Button type="submit" variant="primary" isBusy={isSaving} aria-keyshortcuts="Meta+S Control+S">
        {action}
      </Button>
    </section>
  )
}
