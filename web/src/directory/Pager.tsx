import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { type ListState, pageSizes } from './list-state.ts'
import type { ListPart } from './use-list.ts'

interface PagerProps {
  state: Pick<ListState, 'page' | 'limit' | 'goNext' | 'goBack' | 'setLimit'>
  part: ListPart<unknown>
  /** What is shown is not what was asked for yet. */
  isStale: boolean
}

const sizes = pageSizes.map((size) => ({ value: String(size), label: `${size} a page` }))

/** Which rows these are of how many, and the ways on and back. */
export function Pager({ state, part, isStale }: PagerProps) {
  const { items, page, limit, next } = part
  if (items.length === 0 || (page === 1 && next === null && items.length <= 25)) return null
  return (
    <nav aria-label="Pages" className="mt-3 flex flex-wrap items-center gap-2 text-ink2">
      <p className="mr-auto">{rangeOf(part)}</p>
      <Select
        label="Rows on a page"
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

/** “26–50 of 312”; past what is counted, “of 10,000+”. */
function rangeOf({ items, page, limit, total, totalIsExact }: ListPart<unknown>): string {
  const first = (page - 1) * limit + 1
  const number = (count: number) => count.toLocaleString('en')
  const of = `${number(total)}${totalIsExact === false ? '+' : ''}`
  return `${number(first)}–${number(first + items.length - 1)} of ${of}`
}
