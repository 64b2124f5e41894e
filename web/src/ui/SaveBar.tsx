import type { ReactNode } from 'react'
import { Button } from './Button.tsx'

interface SaveBarProps {
  isSaving: boolean
  /** The label of the submit button. */
  action?: string
  onDiscard: () => void
  /** Leaves a form that creates a record; in place of Discard. */
  cancel?: ReactNode
  /** Whether saving has to wait, such as for the correction of a field. */
  isBlocked?: boolean
  /** The bar is the foot of a card that closes with it: Cancel in place of Discard. */
  inCard?: { isDirty: boolean }
}

/** The footer of a form: its buttons submit the form, or discard the changes. */
export function SaveBar({ isSaving, action = 'Save', onDiscard, cancel, isBlocked, inCard }: SaveBarProps) {
  const isDirty = inCard?.isDirty ?? !cancel
  return (
    <section
      aria-label={isDirty ? 'Unsaved changes' : action}
      className={`flex flex-wrap items-center justify-end gap-2 ${
        inCard ? 'border-t border-line px-4 py-3 sm:px-[18px]' : 'sticky bottom-3 z-10 card p-2 pl-4 shadow-pop'
      }`}
    >
      {isDirty && (
        <span className="mr-auto inline-flex items-center gap-2">
          <span className="size-2 rounded-full bg-warn" />
          Unsaved changes
        </span>
      )}
      {cancel ?? (
        <Button onClick={onDiscard} disabled={isSaving}>
          {inCard ? 'Cancel' : 'Discard'}
        </Button>
      )}
      <Button
        type="submit"
        variant="primary"
        isBusy={isSaving}
        disabled={isBlocked || inCard?.isDirty === false}
        aria-keyshortcuts="Meta+S Control+S"
      >
        {action}
      </Button>
    </section>
  )
}
