import { SlidersHorizontal } from 'lucide-react'
import { Check } from '../ui/Check.tsx'
import { Panel } from '../ui/Panel.tsx'
import { selectColumns } from './columns.ts'
import type { ListToolsProps } from './list-page.ts'

type LayoutProps<Row> = Pick<ListToolsProps<Row>, 'columns' | 'layout' | 'onLayoutChange'>

/** Chooses the visible columns; with `isOnCard` of those that cards can show. */
export function ColumnChecks<Row>({
  columns,
  layout,
  onLayoutChange,
  isOnCard,
}: LayoutProps<Row> & { isOnCard?: true }) {
  const shownIds = selectColumns(columns, layout.columns).map(({ id }) => id)
  const toggle = (id: string) => {
    const columnIds = columns
      .map((column) => column.id)
      .filter((columnId) => (columnId === id) !== shownIds.includes(columnId))
    onLayoutChange({ ...layout, columns: columnIds })
  }
  const choices = columns.slice(1).filter((column) => !isOnCard || column.isOnCard)
  if (choices.length === 0) return null
  return (
    <fieldset>
      <legend className="mb-1 text-[13px] text-ink2">Columns</legend>
      {choices.map(({ id, header }) => (
        <Check key={id} className="flex!" checked={shownIds.includes(id)} onChange={() => toggle(id)}>
          {header}
        </Check>
      ))}
    </fieldset>
  )
}

/** Chooses the visible columns and the row density. */
export function LayoutPanel<Row>(props: LayoutProps<Row>) {
  const { layout, onLayoutChange } = props
  return (
    <Panel label="Columns and density" trigger={<SlidersHorizontal size={16} />} className="btn px-2.5 max-sm:hidden">
      <ColumnChecks {...props} />
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
