import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { type ListState, pageSizes } from './list-state.ts'
import { formatTotal } from './total.ts'
import type { ListPageData } from './use-list.ts'

interface PagerProps {
  state: Pick<ListState, 'page' | 'limit' | 'goNext' | 'goBack' | 'setLimit'>
  data: ListPageData<unknown>
  /** Whether the shown rows are still those of the previous request. */
  isStale: boolean
}

const sizes = pageSizes.map((size) => ({ value: String(size), label: `${size} per page` }))

/** The range of rows and the total, with buttons for the next and previous page. */
export function Pager({ state, data, isStale }: PagerProps) {
  const { items, page, limit, next } = data
  if (items.length === 0 || (page === 1 && next === null && items.length <= 25)) return null
  return (
    <nav aria-label="Pages" className="mt-3 flex flex-wrap items-center gap-2 text-ink2">
      <p className="mr-auto">{formatRange(data)}</p>
      <Select
        label="Rows per page"
        isLabelHidden
        className="h-8! w-auto! text-[13px] max-sm:hidden"
        options={sizes}
        value={String(limit)}
        onChange={({ target }) => state.setLimit(Number(target.value))}
      />
      <Button isSmall disabled={state.page === 1} onClick={state.goBack}>
        <ChevronLeft size={15} />
        Previous
      </Button>
      <Button isSmall disabled={next === null || isStale} onClick={() => next !== null && state.goNext(next)}>
        Next
        <ChevronRight size={15} />
      </Button>
    </nav>
  )
}

/**
 * Formats “26–50 of 312” or “26–50 of about 12,000”. If the page lies beyond an estimate, the estimate is too small.
 */
function formatRange({ items, page, limit, total, totalIsExact }: ListPageData<unknown>): string {
  const first = (page - 1) * limit + 1
  const last = first + items.length - 1
  const number = (count: number) => count.toLocaleString('en')
  return `${number(first)}–${number(last)} of ${formatTotal(Math.max(total, last), totalIsExact)}`
}
