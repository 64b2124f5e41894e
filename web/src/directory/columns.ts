import type { ReactNode } from 'react'

/** A column of a list. The first of a table names the row: it is always shown, holds the link, and heads its card. */
export interface Column<Row> {
  id: string
  head: string
  cell: (row: Row) => ReactNode
  /** The name by which the list is sorted by it; only what has an index can be. */
  sort?: string
  /** The width of the window from which there is room for it. */
  from?: 'md' | 'lg' | 'xl'
  /** Also shown below 640 px, in the second line of the card. */
  isOnCard?: true
  /** Shown only to those who choose it. */
  isOptional?: true
  className?: string
}

/** The columns that someone wants; of those that they do not know, the ones shown by default. */
export function chosenColumns<Row>(columns: Column<Row>[], chosen: string[] | undefined): Column<Row>[] {
  const isShown = ({ id, isOptional }: Column<Row>) => (chosen ? chosen.includes(id) : !isOptional)
  return columns.filter((column, at) => at === 0 || isShown(column))
}

// Twice, because below 640 px a cell is a block.
const fromClasses = {
  md: 'max-md:hidden max-sm:hidden',
  lg: 'max-lg:hidden max-sm:hidden',
  xl: 'max-xl:hidden max-sm:hidden',
}

/** Where a column is shown. */
export function placeOf({ from, isOnCard }: Pick<Column<never>, 'from' | 'isOnCard'>): string {
  if (!from) return isOnCard ? '' : 'max-sm:hidden'
  // A card has room in its second line for what a narrow table has none for.
  if (isOnCard) return { md: 'sm:max-md:hidden', lg: 'sm:max-lg:hidden', xl: 'sm:max-xl:hidden' }[from]
  return fromClasses[from]
}
