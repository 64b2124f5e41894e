import { type ReactNode, useState } from 'react'

interface ChartTableProps {
  /** The name of the table: “Sign-ins per day”. */
  name: string
  header: string[]
  /** Returns the rows; called once the table is open. `title` is the header of a row. */
  rows: () => { key: string; title: ReactNode; cells: ReactNode[] }[]
}

/** The numbers of a chart as a table, below it. It is rendered once it is opened. */
export function ChartTable({ name, header, rows }: ChartTableProps) {
  const [isOpen, setOpen] = useState(false)
  const [first, ...others] = header
  return (
    <details className="mt-1" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex h-8 w-fit cursor-pointer items-center text-[13px] text-stamp hover:underline pointer-coarse:h-11">
        Show as table
      </summary>
      {isOpen && (
        <section
          aria-label={`${name}, as a table`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is scrolled by the keyboard
          tabIndex={0}
          className="max-h-72 overflow-auto rounded-ctl border border-line"
        >
          <table className="w-full text-[13px] [&_td]:px-3 [&_td]:py-1.5 [&_td]:text-right [&_th]:px-3 [&_th]:py-1.5 [&_th]:text-left [&_th]:font-[500]">
            <caption className="sr-only">{name}</caption>
            <thead className="sticky top-0 bg-card text-[12px] text-ink2 [&_th+th]:text-right">
              <tr>
                <th scope="col">{first}</th>
                {others.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows().map(({ key, title, cells }) => (
                <tr key={key} className="border-t border-hair">
                  <th scope="row" className="whitespace-nowrap">
                    {title}
                  </th>
                  {cells.map((cell, index) => (
                    <td key={index}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}
