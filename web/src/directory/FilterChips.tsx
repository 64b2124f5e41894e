import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import type { ListFilter } from './list-page.ts'
import type { ListState } from './list-state.ts'

interface FilterChipsProps {
  filters: ListFilter[]
  state: Pick<ListState, 'filters' | 'filter' | 'clear'>
  /** By default hidden where a dialog has the filters. */
  className?: string
}

const chipClass =
  'relative inline-flex min-h-9 max-w-56 items-center gap-1.5 rounded-full border px-3 text-[13px] whitespace-nowrap focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-stamp pointer-coarse:min-h-11'
const chipClasses = {
  on: `${chipClass} border-stamp bg-selection pr-1.5`,
  off: `${chipClass} border-dashed border-edge text-ink2 hover:bg-well hover:text-ink`,
}

/** The filters, each as a chip that shows its value, and a button that removes it. */
export function FilterChips({ filters, state, className = 'max-sm:hidden' }: FilterChipsProps) {
  const hasFilter = filters.some(({ name }) => state.filters[name] !== undefined)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row
    <div role="group" aria-label="Filters" className={`flex flex-wrap items-center gap-2 ${className}`}>
      {filters.map((filter) => (
        <FilterChip key={filter.name} filter={filter} state={state} />
      ))}
      {hasFilter && (
        <Button variant="ghost" isSmall onClick={state.clear}>
          Clear filters
        </Button>
      )}
    </div>
  )
}

function FilterChip({ filter, state }: { filter: ListFilter; state: FilterChipsProps['state'] }) {
  const { name, label, options, renderControl } = filter
  const value = state.filters[name]
  const text = findValueLabel(filter, value)
  const content: ReactNode =
    value === undefined ? (
      <>
        <Plus size={14} className="shrink-0" />
        {label}
      </>
    ) : (
      <span className="truncate">
        <span className="text-ink2">{label}:</span> <span className="font-[600]">{text}</span>
      </span>
    )
  return (
    <span className={value === undefined ? chipClasses.off : chipClasses.on}>
      {renderControl ? (
        renderControl(
          'inline-flex min-h-8.5 min-w-0 cursor-pointer pointer-coarse:min-h-10.5 items-center gap-1.5 outline-none after:absolute after:inset-0',
          content,
        )
      ) : (
        <>
          <span aria-hidden="true" className="inline-flex min-w-0 items-center gap-1.5">
            {content}
          </span>
          {/* The native select, invisible above the chip. */}
          <select
            aria-label={label}
            className="absolute inset-0 w-full cursor-pointer appearance-none opacity-0"
            value={value ?? ''}
            onChange={({ target }) => state.filter(name, target.value)}
          >
            <FilterOptions label={label} options={options} />
          </select>
        </>
      )}
      {value !== undefined && (
        <button
          type="button"
          aria-label={`Clear ${label}: ${text}`}
          className="relative z-10 grid size-6 shrink-0 place-items-center rounded-full text-ink2 hover:bg-card hover:text-ink pointer-coarse:size-9"
          onClick={() => state.filter(name, undefined)}
        >
          <X size={14} />
        </button>
      )}
    </span>
  )
}

/** Returns the label of a filter's value. */
const findValueLabel = ({ options }: ListFilter, value: string | undefined) =>
  options.find((option) => option.value === value)?.label ?? value

function FilterOptions({ label, options }: Pick<ListFilter, 'label' | 'options'>) {
  return (
    <>
      <option value="">Any {label.toLowerCase()}</option>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  )
}
