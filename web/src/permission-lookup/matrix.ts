import type { PartLabels, Side } from './lookup-search.ts'
import type { LookupItem, mergePages, ResultTable } from './lookups.ts'

/** A result of a permission; in a comparison, of both sides. */
export interface MatrixCell {
  left: LookupItem | undefined
  right: LookupItem | undefined
}

/** An object with its result in each column; undefined where it lacks the permission. */
export interface MatrixRow {
  id: string
  cells: (MatrixCell | undefined)[]
}

/** Converts the merged results of a table's lookups to rows; with a `side`, only those that have it in a cell. */
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

/** Returns the right side's result if the sides have different ones. */
export const findDifferingResult = ({ left, right }: MatrixCell): LookupItem | undefined =>
  left && right && JSON.stringify(toComparable(left)) !== JSON.stringify(toComparable(right)) ? right : undefined

const toComparable = ({ permissionship, partialCaveatMissing, excluded = [] }: LookupItem) => [
  permissionship,
  partialCaveatMissing,
  excluded.map(({ id, permissionship, partialCaveatMissing }) => [id, permissionship, partialCaveatMissing]),
]

/** Returns the label of a cell in a comparison, such as “Gained since”. */
export function findPartLabel(cell: MatrixCell, parts: PartLabels): string {
  const side = sideOf(cell)
  if (side !== 'both') return parts[side]
  return findDifferingResult(cell) ? parts.differing : parts.same
}
