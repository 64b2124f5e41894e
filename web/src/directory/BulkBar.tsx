import { Button } from '../ui/Button.tsx'
import type { BulkAction, Running } from './bulk.tsx'
import type { Selection } from './selection.ts'

interface BulkBarProps {
  actions: BulkAction[]
  running: Running
  selection: Selection
  /** The number of selected rows, in words. */
  countText: string
  /** The number of matching rows, in words, if the whole page is selected and there are more. */
  matchingText: string | undefined
}

/** The actions for the selected rows, fixed at the bottom of the window. */
export function BulkBar({ actions, running, selection, countText, matchingText }: BulkBarProps) {
  return (
    <div className="sticky bottom-4 z-10 mt-3">
      <div
        role="toolbar"
        aria-label="Bulk actions"
        className="bulk-bar flex flex-wrap items-center gap-2 rounded-pop py-2 pr-2.5 pl-4 shadow-pop"
      >
        <span role="status" className="mr-2 font-[600]">
          {countText} selected
        </span>
        {selection.pageState !== 'all' && (
          <button type="button" className="link min-h-8 px-1 sm:hidden" onClick={selection.togglePage}>
            Select all on this page
          </button>
        )}
        {matchingText && (
          <button type="button" className="link min-h-8 px-1" onClick={selection.selectAll}>
            Select all {matchingText} matching
          </button>
        )}
        {actions.map((action) => (
          <Button
            key={action.label}
            isSmall
            variant={action.isDanger ? 'danger' : 'plain'}
            isBusy={running.current === action}
            disabled={running.current !== undefined}
            onClick={() => running.start(action, selection.selected)}
          >
            {action.label}
          </Button>
        ))}
        <Button isSmall variant="ghost" onClick={selection.clear}>
          Clear
        </Button>
      </div>
    </div>
  )
}
