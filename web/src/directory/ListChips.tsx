import { X } from 'lucide-react'
import { Button } from '../ui/Button.tsx'

/** An active filter. */
export interface Chip {
  name: string
  label: string
  /** Its display value. */
  text: string
  onClear: () => void
}

/** The active filters, each with a button to remove it. */
export function ListChips({ chips, onClearAll }: { chips: Chip[]; onClearAll: () => void }) {
  return (
    <ul aria-label="Filters" className="mt-2.5 flex flex-wrap items-center gap-1.5">
      {chips.map(({ name, label, text, onClear }) => (
        <li key={name} className="max-w-full">
          <button
            type="button"
            aria-label={`Clear ${label}: ${text}`}
            className="inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-full border border-line bg-selection px-2.5 text-[13px] hover:border-edge pointer-coarse:min-h-11"
            onClick={onClear}
          >
            <span className="text-ink2">{label}:</span> <span className="truncate">{text}</span>
            <X size={13} className="shrink-0 text-ink3" />
          </button>
        </li>
      ))}
      <li>
        <Button variant="ghost" isSmall onClick={onClearAll}>
          Clear filters
        </Button>
      </li>
    </ul>
  )
}
