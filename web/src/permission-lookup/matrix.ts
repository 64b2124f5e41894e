import type { PartLabels, Side } from './lookup-search.ts'
import type { LookupItem, mergePages, ResultTable } from './lookups.ts'

/** The answer for a result and a permission; in a comparison, of both sides. */
export interface MatrixCell {
  left: LookupItem | undefined
  right: LookupItem | undefined
}

/** A result with its answer for each column. */
export interface MatrixRow {
  id: string
  cells: (MatrixCell | undefined)[]
}

/** Sorts the merged results of a table's lookups into its columns. */
export function toMatrixRows(
  { columns }: ResultTable,
  rows: ReturnType<typeof mergePages>['rows'],
  side: Side | undefined,
): MatrixRow[] {
  const all = rows.map(({ id, items }) => {
    let next = 0
    const cells = columns.map((column): MatrixCell | undefined => {
      const left = items[next++]
      const right = column.right && items[next++]
      return left || right ? { left, right } : undefined
    })
    return { id, cells }
  })
  return side === undefined ? all : all.filter(({ cells }) => cells.some((cell) => cell && sideOf(cell) === side))
}

export const sideOf = ({ left, right }: MatrixCell): Side => (left && right ? 'both' : left ? 'left' : 'right')

/** Returns the other side's result if it differs. */
export const findDiffering = ({ left, right }: MatrixCell): LookupItem | undefined =>
  left && right && JSON.stringify(toComparable(left)) !== JSON.stringify(toComparable(right)) ? right : undefined

const toComparable = ({ permissionship, partialCaveatMissing, excluded = [] }: LookupItem) => [
  permissionship,
  partialCaveatMissing,
  excluded.map(({ id, permissionship, partialCaveatMissing }) => [id, permissionship, partialCaveatMissing]),
]

/** Returns the name of a cell's part in a comparison. */
export function findPartLabel(cell: MatrixCell, parts: PartLabels): string {
  const side = sideOf(cell)
  if (side !== 'both') return parts[side]
  return findDiffering(cell) ? parts.differing : parts.same
}
