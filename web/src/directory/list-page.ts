import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { MenuItem } from '../ui/Menu.tsx'
import type { BulkAction } from './bulk.tsx'
import type { Column } from './columns.ts'
import type { ListState } from './list-state.ts'
import type { List } from './use-list.ts'

/** The target of a row or a button. */
export interface LinkTo {
  to: NonNullable<LinkProps['to']>
  params?: Record<string, string>
}

/** A filter of a list; `control` replaces the select if there are too many options. */
export interface ListFilter {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
  control?: ReactNode
}

export interface ListPageProps<Row> {
  /** The table's name in `Passport.Table.<name>`. */
  name: string
  title: string
  /** The listed kind in singular and plural: `['user', 'users']`. */
  noun: [one: string, many: string]
  state: ListState
  list: List<Row>
  columns: Column<Row>[]
  idOf: (row: Row) => string
  nameOf: (row: Row) => string
  /** The page of a row; omitted if rows have no page. */
  linkTo?: (row: Row) => LinkTo
  rowMenu?: (row: Row) => MenuItem[]
  /** The primary action. */
  create?: LinkTo & { label: string }
  /** Additional buttons of the header, such as an export. */
  actions?: ReactNode
  /** The searchable fields: “Name, email or id”. */
  searchPlaceholder: string
  filters?: ListFilter[]
  bulk?: BulkAction[]
  /** A suggestion for an empty list. */
  emptyHint?: ReactNode
  /** Rendered between the tools and the table, such as the match of a pasted id. */
  children?: ReactNode
  /** Whether it is a part of another page: without its own h1 and without page-level keys. */
  isEmbedded?: boolean
}
