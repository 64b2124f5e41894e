import { X } from 'lucide-react'
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

/** The actions for the selected rows, fixed at the bottom of the window: icons on narrow screens, with small words on phones. */
export function BulkBar({ actions, running, selection, countText, matchingText }: BulkBarProps) {
  const { current, progress } = running
  const [safe, dangerous] = [actions.filter(({ isDanger }) => !isDanger), actions.filter(({ isDanger }) => isDanger)]
  const renderAction = (action: BulkAction) => (
    <Button
      key={action.label}
      isSmall
      variant={action.isDanger ? 'danger' : 'plain'}
      isBusy={current === action}
      disabled={current !== undefined}
      {...(action.icon && {
        title: action.label,
        className:
          'max-nav:px-2.5 pointer-coarse:max-nav:min-w-11 max-sm:h-11! max-sm:flex-col max-sm:gap-0! max-sm:px-2 [&>svg]:shrink-0',
      })}
      onClick={() => running.start(action, selection.selected)}
    >
      {action.icon}
      {action.icon ? <span className="max-sm:text-[11px] sm:max-nav:sr-only">{action.label}</span> : action.label}
    </Button>
  )
  return (
    <div className="sticky bottom-4 z-10 mt-3 flex justify-center">
      <div
        role="toolbar"
        aria-label="Bulk actions"
        className="bulk-bar flex max-w-full flex-wrap items-center gap-x-3 gap-y-1.5 rounded-box p-1.5 shadow-pop max-sm:w-full"
      >
        <span className="bulk-count">
          <span role="status">{countText} selected</span>
          {!progress && (
            <button
              type="button"
              className="grid size-7 place-items-center rounded-md hover:bg-[rgb(255_255_255/0.14)] pointer-coarse:size-10"
              title="Clear"
              aria-label="Clear"
              onClick={selection.clear}
            >
              <X size={15} />
            </button>
          )}
        </span>
        {!current && selection.pageState !== 'all' && (
          <button
            type="button"
            className="link min-h-8 px-1 sm:hidden pointer-coarse:min-h-11"
            onClick={selection.togglePage}
          >
            Select all on this page
          </button>
        )}
        {!current && matchingText && (
          <button type="button" className="link min-h-8 px-1 pointer-coarse:min-h-11" onClick={selection.selectAll}>
            Select all {matchingText} matching
          </button>
        )}
        <span className={`flex gap-0.5 max-sm:w-full max-sm:justify-between ${progress ? 'max-nav:hidden' : ''}`}>
          {safe.map(renderAction)}
          {safe.length > 0 && dangerous.length > 0 && (
            <span aria-hidden="true" className="mx-1.5 my-1.5 w-px bg-[rgb(255_255_255/0.22)] max-sm:hidden" />
          )}
          {dangerous.map(renderAction)}
        </span>
        {progress && <Progress running={running} />}
      </div>
    </div>
  )
}

function Progress({ running: { progress, cancel, isCancelled } }: { running: Running }) {
  if (!progress) return null
  const { text, done, total } = progress
  return (
    <span className="ml-auto flex items-center gap-3 pl-1.5 whitespace-nowrap max-sm:w-full">
      <span role="status" className="max-sm:mr-auto">
        {isCancelled ? 'Stopping…' : text}
      </span>
      <span
        role="progressbar"
        aria-label="Progress"
        aria-valuenow={done}
        aria-valuemax={total}
        className="h-1.5 w-24 overflow-hidden rounded-full bg-edge max-sm:w-16"
      >
        <span className="block h-full bg-[oklch(0.8_0.11_85)]" style={{ width: `${(100 * done) / total}%` }} />
      </span>
      <Button isSmall disabled={isCancelled} onClick={cancel}>
        Cancel
      </Button>
    </span>
  )
}
