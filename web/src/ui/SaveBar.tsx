import { Button } from './Button.tsx'

interface SaveBarProps {
  isSaving: boolean
  onDiscard: () => void
  /** The label of the submit button. */
  action?: string
  /** No changes yet, as in a creation form: there is nothing to discard. */
  isUntouched?: boolean
}

/** The footer of a form with unsaved changes; its button submits the form. */
export function SaveBar({ isSaving, onDiscard, action = 'Save', isUntouched = false }: SaveBarProps) {
  return (
    <section
      aria-label={isUntouched ? action : 'Unsaved changes'}
      className="sticky bottom-3 z-10 flex flex-wrap items-center gap-2 rounded-box border border-line bg-card p-2 pl-4 shadow-pop"
    >
      <span className="mr-auto inline-flex items-center gap-2">
        {!isUntouched && (
          <>
            <span className="size-2 rounded-full bg-warn" />
            Unsaved changes
          </>
        )}
      </span>
      {!isUntouched && (
        <Button onClick={onDiscard} disabled={isSaving}>
          Discard
        </Button>
      )}
      <Button type="submit" variant="primary" isBusy={isSaving} aria-keyshortcuts="Meta+S Control+S">
        {action}
      </Button>
    </section>
  )
}
