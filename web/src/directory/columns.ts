import type { ReactNode } from 'react'

/** A column of a list. The first column names the row: it is always shown, has the link, and is the card's title. */
export interface Column<Row> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** The sort key of the column; only indexed columns have one. */
  sort?: string
  /** The breakpoint from which it is shown. */
  minBreakpoint?: 'md' | 'lg' | 'xl'
  /** Also shown below 640 px, in the second line of the card. */
  isOnCard?: true
  /** Hidden by default. */
  isOptional?: true
  /** The class of its width; the columns without one share what is left. */
  width?: string
  className?: string
}

/** Returns the classes of a column of numbers, which are at the right, with a distance to the next column. */
export const numberColumn = (width: string) => ({
  width: `${width} sm:text-right sm:pr-7!`,
  className: 'tabular-nums sm:text-right sm:pr-7!',
})

/** Returns the chosen columns; without a choice, the default ones. */
export function selectColumns<Row>(columns: Column<Row>[], chosen: string[] | undefined): Column<Row>[] {
  const isShown = ({ id, isOptional }: Column<Row>) => (chosen ? chosen.includes(id) : !isOptional)
  return columns.filter((column, index) => index === 0 || isShown(column))
}

// Twice, because below 640 px a cell is a block.
const hiddenClasses = {
  md: 'max-md:hidden max-sm:hidden',
  lg: 'max-lg:hidden max-sm:hidden',
  xl: 'max-xl:hidden max-sm:hidden',
}

/** Returns the visibility classes of a column. */
export function visibilityClass({
  minBreakpoint,
  isOnCard,
}: Pick<Column<never>, 'minBreakpoint' | 'isOnCard'>): string {
  if (!minBreakpoint) return isOnCard ? '' : 'max-sm:hidden'
  // The second line of a card has space for columns that a narrow table hides.
  if (isOnCard) return { md: 'sm:max-md:hidden', lg: 'sm:max-lg:hidden', xl: 'sm:max-xl:hidden' }[minBreakpoint]
  return hiddenClasses[minBreakpoint]
}
