import type { ComponentProps, ReactNode } from 'react'

interface TableProps {
  /** Read by screen readers only. */
  caption: string
  /** The column headers; visually hidden headers hide themselves. */
  header: ReactNode
  children: ReactNode
  /** Keeps the head below the top bar while scrolling; no ancestor of the table may scroll or clip overflow. */
  isHeaderSticky?: boolean
  /** Dims outdated rows until new rows arrive. */
  isStale?: boolean
  isBusy?: boolean
  /** Columns have the widths of their headers, and text that does not fit is cut off. */
  isFixed?: boolean
}

/*
 * Below 640 px a row is a card. Roles are repeated because some browsers drop the roles of a table whose parts are laid
 * out as blocks.
 */

/** A table whose rows become cards on narrow screens. */
export function Table({ caption, header, children, isHeaderSticky, isStale, isBusy, isFixed }: TableProps) {
  const sticky = isHeaderSticky ? '[&_th]:sticky [&_th]:top-13 [&_th]:z-10 [&_th]:bg-card' : ''
  return (
    <table
      role="table"
      className={`w-full text-left max-sm:block ${isFixed ? 'table-fixed' : ''}`}
      aria-busy={isBusy || undefined}
    >
      <caption className="sr-only">{caption}</caption>
      <thead role="rowgroup" className={`max-sm:sr-only ${sticky}`}>
        <tr
          role="row"
          className="[&_th]:px-2.5 [&_th]:py-2 [&_th]:text-[12px] [&_th]:font-[500] [&_th]:whitespace-nowrap [&_th]:text-ink3 [&_th:first-child]:pl-[18px] [&_th:last-child]:pr-[18px]"
        >
          {header}
        </tr>
      </thead>
      <tbody role="rowgroup" className={`transition-opacity max-sm:block ${isStale ? 'opacity-60' : ''}`}>
        {children}
      </tbody>
    </table>
  )
}

export function TableRow({ className = '', ...rest }: ComponentProps<'tr'>) {
  return (
    <tr role="row" {...rest} className={`border-t border-hair max-sm:block max-sm:px-4 max-sm:py-2.5 ${className}`} />
  )
}

export function TableCell({ className = '', ...rest }: ComponentProps<'td'>) {
  return (
    <td
      role="cell"
      {...rest}
      className={`px-2.5 py-2 align-top max-sm:block max-sm:px-0 max-sm:py-1 sm:first:pl-[18px] sm:last:pr-[18px] ${className}`}
    />
  )
}
