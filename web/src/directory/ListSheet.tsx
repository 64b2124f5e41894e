import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Select } from '../ui/Select.tsx'
import { ColumnChecks } from './ListLayout.tsx'
import type { ListToolsProps } from './list-page.ts'

interface ListSheetProps<Row> extends ListToolsProps<Row> {
  isOpen: boolean
  onClose: () => void
}

/** The filters, the order and the columns of a list on a narrow screen. */
export function ListSheet<Row>(props: ListSheetProps<Row>) {
  const { isOpen, onClose, state, filters, columns, select } = props
  const sorts = columns.flatMap(({ header, sort }) =>
    sort === undefined
      ? []
      : [
          { value: sort, label: `${header} ↑` },
          { value: `-${sort}`, label: `${header} ↓` },
        ],
  )
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={filters.length > 0 ? 'Filters' : 'View'} className="mb-4 w-full">
      <div className="mt-4 grid gap-4">
        {filters.map(({ name, label, options, renderControl }) =>
          renderControl ? (
            <div key={name}>
              <p className="mb-1.5 font-[560]">{label}</p>
              {renderControl(
                'ctl ctl-select flex items-center text-left',
                <span className="truncate">
                  {options.find(({ value }) => value === state.filters[name])?.label ?? `Any ${label.toLowerCase()}`}
                </span>,
              )}
            </div>
          ) : (
            <Select
              key={name}
              label={label}
              options={[{ value: '', label: `Any ${label.toLowerCase()}` }, ...options]}
              value={state.filters[name] ?? ''}
              onChange={({ target }) => state.filter(name, target.value)}
            />
          ),
        )}
        {sorts.length > 0 && (
          <Select
            label="Sort by"
            options={[{ value: '', label: 'Default' }, ...sorts]}
            value={state.sort ?? ''}
            onChange={({ target }) => state.sortBy(target.value)}
          />
        )}
        <ColumnChecks {...props} isOnCard />
        {select && (
          <Check className="flex!" checked={select.isOn} onChange={() => select.set(!select.isOn)}>
            Select rows
          </Check>
        )}
      </div>
      <div className="mt-5 flex justify-end gap-2">
        {state.isFiltered && <Button onClick={state.clear}>Clear filters</Button>}
        <Button variant="primary" onClick={onClose}>
          Show results
        </Button>
      </div>
    </Dialog>
  )
}
