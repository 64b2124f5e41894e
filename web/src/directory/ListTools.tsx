import { ListChecks, SlidersHorizontal } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { Panel } from '../ui/Panel.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { Select } from '../ui/Select.tsx'
import { type Column, chosenColumns } from './columns.ts'
import { ListChips } from './ListChips.tsx'
import type { ListFilter } from './list-page.ts'
import type { ListState } from './list-state.ts'
import type { TableLayout } from './table-layout.ts'

interface ListToolsProps<Row> {
  state: ListState
  searchRef: RefObject<HTMLInputElement | null>
  label: string
  searchPlaceholder: string
  filters: ListFilter[]
  columns: Column<Row>[]
  layout: TableLayout
  onLayoutChange: (layout: TableLayout) => void
  select: { isOn: boolean; set: (isOn: boolean) => void } | undefined
}

/** Search, filters with their chips, and the layout of the table. */
export function ListTools<Row>(props: ListToolsProps<Row>) {
  const { state, searchRef, label, searchPlaceholder, filters, select } = props
  const chips = filters.flatMap(({ name, label, options }) => {
    const value = state.filters[name]
    if (value === undefined) return []
    const text = options.find((option) => option.value === value)?.label ?? value
    return [{ name, label, text, onClear: () => state.filter(name, undefined) }]
  })
  return (
    <>
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <SearchBox
          ref={searchRef}
          label={label}
          placeholder={searchPlaceholder}
          value={state.searchText}
          onSearch={state.search}
        />
        {filters.map(({ name, label, options, control }) =>
          control ? (
            <div key={name}>{control}</div>
          ) : (
            <Select
              key={name}
              label={label}
              isLabelHidden
              className="w-auto! min-w-32"
              options={[{ value: '', label: `Any ${label.toLowerCase()}` }, ...options]}
              value={state.filters[name] ?? ''}
              onChange={({ target }) => state.filter(name, target.value)}
            />
          ),
        )}
        <SortSelect {...props} />
        <div className="ml-auto flex gap-2">
          {select && (
            <Button className="sm:hidden" aria-pressed={select.isOn} onClick={() => select.set(!select.isOn)}>
              <ListChecks size={16} />
              {select.isOn ? 'Done' : 'Select'}
            </Button>
          )}
          <LayoutPanel {...props} />
        </div>
      </div>
      {(chips.length > 0 || state.isFiltered) && <ListChips chips={chips} onClearAll={state.clear} />}
    </>
  )
}

/** Replaces the column headers on narrow screens. */
function SortSelect<Row>({ columns, state }: ListToolsProps<Row>) {
  const options = columns.flatMap(({ header, sort }) =>
    sort === undefined
      ? []
      : [
          { value: sort, label: `${header} ↑` },
          { value: `-${sort}`, label: `${header} ↓` },
        ],
  )
  if (options.length === 0) return null
  return (
    <div className="sm:hidden">
      <Select
        label="Sort by"
        isLabelHidden
        className="w-auto!"
        options={[{ value: '', label: 'Sort by' }, ...options]}
        value={state.sort ?? ''}
        onChange={({ target }) => state.sortBy(target.value)}
      />
    </div>
  )
}

/** Chooses the visible columns and the row density. */
function LayoutPanel<Row>({ columns, layout, onLayoutChange }: ListToolsProps<Row>) {
  const shownIds = chosenColumns(columns, layout.columns).map(({ id }) => id)
  const toggle = (id: string) => {
    const columnIds = columns
      .map((column) => column.id)
      .filter((columnId) => (columnId === id) !== shownIds.includes(columnId))
    onLayoutChange({ ...layout, columns: columnIds })
  }
  return (
    <Panel label="Columns and density" trigger={<SlidersHorizontal size={16} />} className="btn px-2.5 max-sm:hidden">
      <fieldset>
        <legend className="mb-1 text-[13px] text-ink2">Columns</legend>
        {columns.slice(1).map(({ id, header }) => (
          <Check key={id} className="flex!" checked={shownIds.includes(id)} onChange={() => toggle(id)}>
            {header}
          </Check>
        ))}
      </fieldset>
      <fieldset className="mt-2 border-t border-line pt-2">
        <legend className="sr-only">Density</legend>
        {(['comfortable', 'compact'] as const).map((density) => (
          <Check
            key={density}
            type="radio"
            name="density"
            className="flex! capitalize"
            checked={layout.density === density}
            onChange={() => onLayoutChange({ ...layout, density })}
          >
            {density}
          </Check>
        ))}
      </fieldset>
    </Panel>
  )
}
