import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode, RefObject } from 'react'
import type { MenuItem } from '../ui/Menu.tsx'
import type { BulkAction } from './bulk.tsx'
import type { Column } from './columns.ts'
import type { ListState } from './list-state.ts'
import type { TableLayout } from './table-layout.ts'
import type { ListResult } from './use-list.ts'

/** The target of a row or a button. */
export interface LinkTo {
  to: NonNullable<LinkProps['to']>
  params?: Record<string, string>
}

/** A filter of a list; `renderControl` replaces the select if there are too many options. */
export interface ListFilter {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
  /** Renders a button that opens the choice, with these classes and this content. */
  renderControl?: (className: string, content: ReactNode) => ReactNode
}

export interface ListPageProps<Row> {
  /** The table's name in `Passport.Table.<name>`. */
  name: string
  title: string
  /** The listed kind in singular and plural: `['user', 'users']`. */
  noun: [one: string, many: string]
  state: ListState
  list: ListResult<Row>
  columns: Column<Row>[]
  idOf: (row: Row) => string
  nameOf: (row: Row) => string
  /** The page of a row; omitted, or undefined for a row without a page. */
  linkTo?: (row: Row) => LinkTo | undefined
  rowMenu?: (row: Row) => MenuItem[]
  /**
   * The primary action. If nothing matches a search, it is offered with the words as `name` in the URL;
   * in its place the `secondary` one, if the words fit that.
   */
  create?: LinkTo & { label: string; search?: Record<string, string> }
  /** A button of the header beside the primary action. */
  actions?: ReactNode
  /** The other actions of the page; on a narrow screen the `secondary` one is among them. */
  menu?: MenuItem[]
  secondary?: LinkTo & { label: string; icon: ReactNode; search?: undefined; fits?: (words: string) => boolean }
  /** Links to the views of the page, below its header. */
  views?: ReactNode
  /** The searchable fields: “Name, email or id”. */
  searchPlaceholder: string
  filters?: ListFilter[]
  bulk?: BulkAction[]
  /** More about the rows, in the line of their number. */
  note?: ReactNode
  /** A suggestion for an empty list. */
  emptyHint?: ReactNode
  /** Rendered between the tools and the table, such as the match of a pasted id. */
  children?: ReactNode
  /** The list is a part of another page: it has no h1 and no page-level keys. */
  isEmbedded?: boolean
}

/** The props of the tools of a list: its search, its filters and the layout of its table. */
export interface ListToolsProps<Row> {
  state: ListState
  searchRef: RefObject<HTMLInputElement | null>
  label: string
  searchPlaceholder: string
  filters: ListFilter[]
  columns: Column<Row>[]
  layout: TableLayout
  onLayoutChange: (layout: TableLayout) => void
  /** Buttons at the end of the line, for a list without a header of its own. */
  actions?: ReactNode
  /** The selection mode of narrow screens; undefined if rows cannot be selected. */
  select: { isOn: boolean; set: (isOn: boolean) => void } | undefined
}
