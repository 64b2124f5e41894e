import { ListFilter as FilterIcon } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { FilterChips } from './FilterChips.tsx'
import { LayoutPanel } from './ListLayout.tsx'
import type { ListToolsProps } from './list-page.ts'

const Sheet = lazyPart<ListToolsProps<never> & { isOpen: boolean; onClose: () => void }>(
  async () => (await import('./ListSheet.tsx')).ListSheet,
)

/** Search, filters and the layout of the table in one line; on a narrow screen all but the search are in a dialog. */
export function ListTools<Row>(props: ListToolsProps<Row>) {
  const { state, searchRef, label, searchPlaceholder, filters, columns, actions, select } = props
  const [isSheetOpen, setSheetOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const hasSheet = filters.length > 0 || select !== undefined || columns.some(({ sort }) => sort !== undefined)
  const count = Object.keys(state.filters).length
  return (
    <div className={`flex items-start gap-2 ${actions ? (hasSheet ? 'max-sm:flex-wrap' : '') : 'mt-4'}`}>
      <div
        className={`flex min-w-0 flex-1 items-center gap-2 sm:flex-wrap ${actions && hasSheet ? 'max-sm:basis-full' : ''}`}
      >
        <SearchBox
          ref={searchRef}
          label={label}
          placeholder={searchPlaceholder}
          value={state.searchText}
          onSearch={state.search}
        />
        {filters.length > 0 && <FilterChips filters={filters} state={state} />}
      </div>
      {select?.isOn && (
        <Button className="sm:hidden" onClick={() => select.set(false)}>
          Done
        </Button>
      )}
      {hasSheet && (
        <Button
          className="px-3 sm:hidden"
          aria-haspopup="dialog"
          onPointerEnter={() => void Sheet.preload()}
          onClick={() => {
            setWasOpened(true)
            setSheetOpen(true)
          }}
        >
          <FilterIcon size={16} />
          {filters.length > 0 ? 'Filters' : 'View'}
          {count > 0 && ` (${count})`}
        </Button>
      )}
      {wasOpened && (
        <Suspense>
          <Sheet {...(props as ListToolsProps<never>)} isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} />
        </Suspense>
      )}
      <LayoutPanel {...props} />
      {actions}
    </div>
  )
}
