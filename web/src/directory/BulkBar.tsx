import { Button } from '../ui/Button.tsx'
import type { BulkAction, Running } from './bulk.tsx'
import type { Selection } from './selection.ts'

interface BulkBarProps {
  actions: BulkAction[]
  running: Running
  selection: Selection
  /** How many are chosen, in words. */
  counted: string
  /** How many match in words, where the whole page is chosen and there are more. */
  matching: string | undefined
}

/** What can be done to the chosen rows; it stays at the foot of the window. */
export function BulkBar({ actions, running, selection, counted, matching }: BulkBarProps) {
  return (
    <div className="pointer-events-none sticky bottom-4 z-10 mt-4 flex justify-center">
      <div
        role="toolbar"
        aria-label="Bulk actions"
        className="pointer-events-auto flex max-w-full flex-wrap items-center gap-2 rounded-box border border-line bg-card p-2 pl-4 shadow-pop"
      >
        <span role="status" className="mr-2 font-[600]">
          {counted} selected
        </span>
        {selection.ofPage !== 'all' && (
          <button type="button" className="link min-h-8 px-1 sm:hidden" onClick={selection.togglePage}>
            Select all on this page
          </button>
        )}
        {matching && (
          <button type="button" className="link min-h-8 px-1" onClick={selection.selectAll}>
            Select all {matching} matching
          </button>
        )}
        {actions.map((action) => (
          <Button
            key={action.label}
            isSmall
            look={action.isDanger ? 'danger' : 'plain'}
            isBusy={running.current === action}
            disabled={running.current !== undefined}
            onClick={() => running.start(action, selection.selected)}
          >
            {action.label}
          </Button>
        ))}
        <Button isSmall look="ghost" onClick={selection.clear}>
          Clear
        </Button>
      </div>
    </div>
  )
}
