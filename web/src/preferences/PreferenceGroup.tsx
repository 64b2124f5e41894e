import { TableCell, TableRow } from '../ui/Table.tsx'
import { PreferenceRow } from './PreferenceRow.tsx'
import { findKeyError, isChanged, type Row } from './rows.ts'
import type { RowProps } from './use-rows.ts'

interface PreferenceGroupProps {
  /** The start of the keys, such as `MyApp.`; empty for keys without one, which have no heading. */
  namespace: string
  rows: Row[]
  actions: RowProps['actions']
}

/** The preferences of an app below its name. */
export const PreferenceGroup = ({ namespace, rows, actions }: PreferenceGroupProps) => (
  <>
    {namespace && (
      <TableRow className="bg-well">
        <TableCell colSpan={4} className="py-1! font-[620]">
          {namespace.slice(0, -1)}
        </TableCell>
      </TableRow>
    )}
    {rows.map((row) => (
      <PreferenceRow
        key={row.id}
        {...{ row, actions, namespace }}
        isChanged={isChanged(row)}
        keyError={findKeyError(row.key)}
      />
    ))}
  </>
)
