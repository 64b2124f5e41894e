import { ChevronRight, Pencil, Trash2 } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { summarizeJson } from '../directory/summarize-json.ts'
import { Button } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { TableCell, TableRow } from '../ui/Table.tsx'
import type { RowPanelProps } from './RowPanel.tsx'

const RowPanel = lazyPart(async () => (await import('./RowPanel.tsx')).RowPanel)

interface ReadFieldProps {
  label: string
  value: string
  /** What is seen, if not the value itself. */
  text?: string | undefined
  className?: string
}

/** A field that reads as text. */
function ReadField({ label, value, text = value, className = '' }: ReadFieldProps) {
  return (
    <div className="relative min-w-0 flex-1">
      <input
        readOnly
        tabIndex={-1}
        aria-label={label}
        className={`block h-9 w-full truncate bg-transparent max-sm:h-7 ${className} ${text === value ? '' : 'text-transparent'}`}
        value={value}
      />
      {text !== value && (
        <span
          aria-hidden="true"
          title={value}
          className={`absolute inset-0 truncate bg-card leading-9 max-sm:leading-7 ${className}`}
        >
          {text}
        </span>
      )}
    </div>
  )
}

/**
 * A preference on one line, with its editor or its value and history below it on demand. The namespace above it is not
 * repeated in the visible key, and JSON reads as a list; their fields have the exact text.
 */
export function PreferenceRow({ row, actions, namespace = '', ...state }: RowPanelProps & { namespace?: string }) {
  const { saved, state: progress, error, isEditing = false, conflict } = row
  // The editor has the typed values.
  const { key, value } = (isEditing && saved) || row
  const name = saved?.key ?? key
  const shortKey = key.startsWith(namespace) ? key.slice(namespace.length) : key
  const summary = summarizeJson(value)
  const [isOpen, setOpen] = useState(false)
  const editButton = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useEffect(() => {
    if (wasEditing.current && !isEditing) editButton.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  return (
    <>
      <TableRow className="max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-x-1 max-sm:py-1.5!">
        <TableCell className="py-1! max-sm:py-0.5!">
          <div className="flex items-center gap-1">
            <button
              type="button"
              className="grid size-8 shrink-0 place-items-center rounded-ctl text-ink3 hover:bg-well pointer-coarse:size-11"
              aria-expanded={isOpen}
              aria-label={`Details of ${name}`}
              onClick={() => setOpen(!isOpen)}
            >
              <ChevronRight size={15} className={isOpen ? 'rotate-90' : ''} />
            </button>
            <ReadField label={`Key of ${name}`} value={key} text={shortKey} className="font-mono text-[13px]" />
          </div>
        </TableCell>
        <TableCell className="py-1! max-sm:col-span-full max-sm:py-0.5! max-sm:pl-[32px]! max-sm:pointer-coarse:pl-[42px]!">
          <ReadField label={`Value of ${name}`} value={value.replaceAll('\n', ' ')} text={summary} />
          {error && !isEditing && <RowError text={error} onRetry={saved ? undefined : () => actions.save(row)} />}
        </TableCell>
        <TableCell className="py-1! text-[13px] leading-9 text-ink3 max-sm:hidden">
          {saved?.savedAt && <RelativeTime at={saved.savedAt} />}
        </TableCell>
        <TableCell className="py-1! max-sm:col-start-2 max-sm:row-start-1 max-sm:py-0.5!">
          <div className="flex min-h-9 items-center justify-end gap-1">
            <Button
              ref={editButton}
              isSmall
              variant="ghost"
              className="px-2 text-ink3"
              title="Edit"
              isBusy={progress === 'saving'}
              disabled={isEditing || conflict !== undefined}
              aria-label={`Edit ${name}`}
              onPointerEnter={RowPanel.preload}
              onClick={() => actions.edit(row, { isEditing: true })}
            >
              <Pencil size={16} />
            </Button>
            <Button
              isSmall
              variant="ghost"
              className="px-2 text-ink3"
              title="Delete"
              disabled={progress === 'saving'}
              onClick={() => actions.remove(row)}
              aria-label={`Delete ${name}`}
            >
              <Trash2 size={16} />
            </Button>
          </div>
        </TableCell>
      </TableRow>
      {(isEditing || conflict || isOpen) && (
        <TableRow className="border-t-0!">
          <TableCell colSpan={4} className="pt-0!">
            <Suspense>
              <RowPanel {...{ row, actions }} {...state} />
            </Suspense>
          </TableCell>
        </TableRow>
      )}
    </>
  )
}

function RowError({ text, onRetry }: { text: string; onRetry?: (() => void) | undefined }) {
  return (
    <p role="alert" className="mt-1.5 text-[13px] text-bad">
      {text}
      {onRetry && (
        <>
          {' '}
          Not saved ·{' '}
          <button type="button" className="link" onClick={onRetry}>
            Retry
          </button>
        </>
      )}
    </p>
  )
}
