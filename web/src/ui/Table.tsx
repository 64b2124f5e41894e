import type { ComponentProps, ReactNode } from 'react'

interface TableProps {
  /** Read out, not shown. */
  caption: string
  /** The heads of the columns; one that is not shown says so itself. */
  head: ReactNode
  children: ReactNode
  /** The head stays below the top bar while the rows go by; nothing around the table may scroll or hide what overflows. */
  isHeadSticky?: boolean
  /** What is shown is on its way out: it is dimmed until the rows that follow are here. */
  isStale?: boolean
  isBusy?: boolean
}

/*
 * Below 640 px a row is a card. The roles are told again because some browsers forget those of a table whose parts are
 * laid out as blocks.
 */

/** A table whose rows become cards where it is narrow. */
export function Table({ caption, head, children, isHeadSticky, isStale, isBusy }: TableProps) {
  const sticky = isHeadSticky ? '[&_th]:sticky [&_th]:top-14 [&_th]:z-10 [&_th]:bg-card' : ''
  return (
    <table role="table" className="w-full text-left max-sm:block" aria-busy={isBusy || undefined}>
      <caption className="sr-only">{caption}</caption>
      <thead role="rowgroup" className={`max-sm:sr-only ${sticky}`}>
        <tr role="row" className="[&_th]:px-3 [&_th]:py-2 [&_th]:text-[13px] [&_th]:font-[560] [&_th]:text-ink2">
          {head}
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
    <tr role="row" {...rest} className={`border-t border-line max-sm:block max-sm:px-4 max-sm:py-3 ${className}`} />
  )
}

export function TableCell({ className = '', ...rest }: ComponentProps<'td'>) {
  return (
    <td role="cell" {...rest} className={`px-3 py-2 align-top max-sm:block max-sm:px-0 max-sm:py-1 ${className}`} />
  )
}
